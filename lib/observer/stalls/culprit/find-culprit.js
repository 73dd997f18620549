'use strict'

// Finds the culprit of a time range: the application's function with the largest share of it, the synchronous API or builtin at the bottom,
// and the dependency that the function called. Pure: takes a profile and the stacks read meanwhile, returns plain data.
//
// (garbage collector), (program) and (idle) are children of V8's root and not of the code that caused them: they show the cause and are left
// out here.

const { sum } = require('../../../base/sums')
const { buildCallTree } = require('../../../formats/profile/call-tree')
const { calledPackage, isPassingOn } = require('../../../formats/profile/called-package')
const { EXPRESSION, packageOf } = require('../../../formats/profile/frame')
const { awaitedWorkOf, publicName } = require('../../../formats/profile/node-api')
const { isBuiltin } = require('./blocked-stacks')
const { builtinOn, nameAt } = require('./call-in-source')
const { heaviestPath, hottestLine, isSame, isWithin, matchStacks, mostFrequent, positionOf, withInlinedCalls, workLine } = require('./matching-stacks')
const { NO_SOURCE } = require('./source-lines')

/** @import { CodeFrame, Culprit } from '../../../../types/diagnostics' */
/** @import { CpuProfile } from '../../../../types/profile' */
/** @import { CallTree } from '../../../formats/profile/call-tree' */
/** @import { Frame } from '../../../formats/profile/frame' */
/** @import { Stack, StackCall } from './blocked-stacks' */
/** @import { Position } from './call-in-source' */
/** @import { Match } from './matching-stacks' */
/** @import { SourceLines } from './source-lines' */

// A function that V8 inlined shares its time with its caller, so half of the time would miss it now and then
// (18 of 20 known culprits on Node 22); a third found 20 of 20 on Node 20 to 26.
const CULPRIT_SHARE = 1 / 3
const MAX_STACK = 50

const ENDING = /\.[^./\\]+$/
const SCRIPT = /\.(?:[cm]?[jt]sx?|vue|svelte|astro|civet|coffee)(?:\?.*)?$/i

/**
 * @typedef {object} Findings
 * @property {Culprit | null} culprit
 * @property {Frame['origin'] | null} origin  the code that the culprit belongs to
 * @property {number} calledShare  of the culprit's time, in its `call`, else in the package of `via`: 0 to 1; 1 where it has neither
 * @property {CodeFrame[]} stack  the heaviest one, innermost first
 * @property {number} codeMs      in JavaScript and native calls
 * @property {number} gcMs
 */

// ProbedStack on Node 22 and 24: after an interrupt in the middle of a regular expression, V8 assigns the rest of the expression's time to the
// native function that the interrupt called last. None of these functions takes long itself.
const INTERRUPT_NATIVES = new Set(['now', 'executionAsyncResource'])
// Buffer[Symbol.species], a getter: often the first JavaScript after a long native call, where V8 answers an interrupt.
const isSpecies = (/** @type {Frame} */ { name, file }) => name === 'get' && file === 'node:buffer'

const CALL_SHARE = 1 / 2
const ENTERED_SHARE = 1 / 2

// Inside, all synchronous functions of zlib are this one.
const ZLIB_SYNC = 'syncBufferWrapper'
const ANY_EXPRESSION = 'RegExp.exec' // all others call this one

// These do work between their callbacks; the others (map, forEach) only call back.
const WORKING = new Set(['sort', 'toSorted', 'replace', 'replaceAll', 'parse', 'stringify'])
// Little, constant work each time: the loop around the call takes the time.
const LITTLE_FUNCTION = /^(?:Object|Number|Boolean|String|Symbol|isArray|(?:Math|Reflect|Number|Boolean|Symbol)\..*)$/
const LITTLE_METHOD = /\.(?:at|charAt|charCodeAt|codePointAt|entries|hasOwnProperty|keys|next|pop|push|valueOf|values|\[Symbol\.(?:iterator|toPrimitive)\])$|^Date\.get\w+$/
const PASSING_ON = new Set(['apply', 'call', 'every', 'filter', 'find', 'findIndex', 'flatMap', 'forEach', 'from', 'map', 'next', 'reduce', 'reduceRight', 'some', 'then'])

/** A name with a meaning: not (anonymous), and not left by a minifier. Otherwise the name in the application's call is better. */
const MEANINGFUL_NAME = /^(?!(module\.)?exports$)[\w$.]{3,}/

/**
 * What compilers put around an async function (Babel, SWC, TypeScript, esbuild): it only resumes what it calls. A minifier shortens the name, and no map
 * has it: it is not in the file of the function.
 */
const ASYNC_HELPER = /^(?:asyncGeneratorStep|_?async_?to_?generator|__async|__awaiter|__generator|_ts_generator|fulfilled|rejected)$/i

const NAMELESS = '(anonymous)'
/** V8's names for code that has none: of a method whose key is computed, of the fields of a class. */
const V8_NAME = /<[^<>]*>$/

/** Bundlers put a number behind a name that another file has as well. */
const BUNDLED = /\$\d+$/

/** Methods that frameworks add to these objects of Node's are shown under the usual variable names. */
const RECEIVERS = new Map([['ServerResponse', 'res'], ['Http2ServerResponse', 'res'], ['IncomingMessage', 'req'], ['Http2ServerRequest', 'req']])

/**
 * @param {CpuProfile} profile  without loopscope's frames, as in the recorder's windows
 * @param {{ appRoot?: string, source?: SourceLines, culpritShare?: number }} [context]  culpritShare: the share that a function must have to be named
 * @param {Stack[]} [stacks]  read in the same time
 * @returns {Findings}
 */
function findCulprit (profile, context = {}, stacks = []) {
  const { source = NO_SOURCE, culpritShare = CULPRIT_SHARE } = context
  const tree = withoutInterruptNatives(buildCallTree(profile, { ...context, names: 'bare' }))
  const root = withInlinedCalls(tree, stacks, source)
  const path = heaviestPath(root)
  const inclusive = inclusiveMicros(root)
  const gcMicros = root.children.find(({ frame }) => frame.origin === 'meta' && frame.name === '(garbage collector)')?.totalMicros ?? 0
  const codeMicros = root.children.reduce((sum, child) => child.frame.origin === 'meta' ? sum : sum + child.totalMicros, 0)
  const depth = culpritDepth(path, source, ({ frame }) => (inclusive.get(frame) ?? 0) >= codeMicros * culpritShare)
  const shareOf = (/** @type {CallTree} */ { frame }) => Math.round(Math.min(1, (inclusive.get(frame) ?? 0) / codeMicros) * 1e3) / 1e3
  const culprit = depth === -1 ? null : { ...describe(path, depth, matchStacks(stacks, path, depth), source), share: shareOf(path[depth]) }
  return {
    culprit,
    origin: path[depth]?.frame.origin ?? null,
    calledShare: culprit === null ? 1 : calledShareOf(path, depth, culprit, source),
    stack: path.map((tree, at) => toCodeFrame(tree, source, at === depth ? culprit : null)).reverse().slice(0, MAX_STACK),
    codeMs: codeMicros / 1e3,
    gcMs: gcMicros / 1e3
  }
}

/**
 * Time in a function and below it, over all paths that lead to it; recursion counts once.
 * @param {CallTree} root
 * @returns {Map<Frame, number>}
 */
function inclusiveMicros (root) {
  const micros = new Map()
  const onPath = new Map()
  /** @type {{ tree: CallTree, leaving: boolean }[]} */
  const pending = [{ tree: root, leaving: false }]
  for (let step = pending.pop(); step !== undefined; step = pending.pop()) {
    const { tree, leaving } = step
    const times = onPath.get(tree.frame) ?? 0
    onPath.set(tree.frame, leaving ? times - 1 : times + 1)
    if (leaving) continue
    if (times === 0) micros.set(tree.frame, (micros.get(tree.frame) ?? 0) + tree.totalMicros)
    pending.push({ tree, leaving: true })
    for (const child of tree.children) pending.push({ tree: child, leaving: false })
  }
  return micros
}

/**
 * The deepest heavy frame of the application; if there is none, of the package that the application called, which is responsible for what it
 * calls in turn. An anonymous function (a comparator, a callback) means little: the nearest named one above it is taken, as long as all frames
 * in between are in the same code.
 * @param {CallTree[]} path
 * @param {SourceLines} source
 * @param {(tree: CallTree) => boolean} isHeavy
 * @returns {number} -1 if there is none
 */
function culpritDepth (path, source, isHeavy) {
  const { dependsOn } = source
  const passedOn = path.findLastIndex(({ frame }) => isPassingOn(frame))
  const heavy = (/** @type {Frame['origin']} */ origin, /** @type {(frame: Frame) => boolean} */ isMeant) =>
    path.findLastIndex((tree, at) => tree.frame.origin === origin && isMeant(tree.frame) && isHeavy(tree) && (origin !== 'app' || at > passedOn))
  const frames = path.map(({ frame }) => frame)
  const called = calledPackage(frames.slice(passedOn + 1), dependsOn) ?? calledPackage(frames, dependsOn)
  const isCalled = (/** @type {Frame} */ frame) => isWritten(frame) && packageOf(frame.file) === called
  const isAwaited = (/** @type {Frame} */ frame) => awaitedWorkOf(frame) !== null
  const choices = /** @type {const} */ ([['app', isWritten], ['dependency', isCalled], ['dependency', isWritten], ['app', () => true], ['wasm', () => true], ['node', isAwaited]])
  for (const [origin, isMeant] of choices) {
    const depth = heavy(origin, isMeant)
    if (depth !== -1) return nearestNamed(path, depth, source)
  }
  return -1
}

/**
 * Templates and the result of `new Function` have no source file: their caller is meant, as with WebAssembly. Code compiled from a template
 * often carries the template's name, but not its lines.
 * @param {Frame} frame
 */
function isWritten ({ file }) {
  return file !== '' && (SCRIPT.test(file) || !ENDING.test(file))
}

/**
 * @param {CallTree[]} path
 * @param {number} depth
 * @param {SourceLines} source
 */
function nearestNamed (path, depth, source) {
  const { origin, file } = path[depth].frame
  for (let up = depth; up >= 0; up--) {
    const { frame } = path[up]
    if (frame.origin === 'node' || frame.origin === 'native' || frame.origin === 'wasm') continue
    if (frame.origin !== origin || (origin === 'dependency' && packageOf(frame.file) !== packageOf(file))) break
    if (frame.name === NAMELESS) continue
    if (ASYNC_HELPER.test(frame.name) || (frame.file !== file && !MEANINGFUL_NAME.test(frame.name)) || isListener(path, depth, up, source)) break
    return up
  }
  return depth
}

/**
 * Whether a function without a name was called for an event by a function that it is not written in: then it does its own work, not that of the
 * function that emits.
 * @param {CallTree[]} path
 * @param {number} depth  of the function without a name
 * @param {number} up     of the named one
 * @param {SourceLines} source
 */
function isListener (path, depth, up, source) {
  if (!path.slice(up, depth).some(({ frame }) => frame.file === 'node:events')) return false
  const { file, line } = path[up].frame
  return path[depth].frame.file !== file || !isWithin(path[depth].frame.line, { file, functionLine: line }, source)
}

/**
 * @param {CallTree[]} path
 * @param {number} depth
 * @param {Match[]} matches
 * @param {SourceLines} source
 * @returns {Omit<Culprit, 'share'>}
 */
function describe (path, depth, matches, source) {
  const { frame } = path[depth]
  const position = positionOf(path, depth, matches, source)
  return {
    function: frame.name,
    file: frame.file,
    ...position,
    functionLine: frame.line,
    call: calledApi(path, depth, matches, position, source),
    via: enteredPackage(path, depth, matches, position, source),
    ...awaitedWorkOf(frame)
  }
}

/**
 * @param {CallTree} tree
 * @param {SourceLines} source
 * @param {Pick<Culprit, 'line' | 'column'> | null} position  of the call, in the culprit
 * @returns {CodeFrame} with the line of the culprit's call; of another function the hottest line where V8 recorded lines, else its first
 */
function toCodeFrame (tree, source, position) {
  const { frame } = tree
  if (position !== null) return { function: frame.name, file: frame.file, line: position.line, column: position.column }
  const line = hottestLine(tree, source)
  const name = publicName(frame) ?? frame.name
  return { function: name, file: frame.file, line: line ?? frame.line, column: line === null || line === frame.line ? frame.column : 0 }
}

/**
 * The tree without the samples that an interrupt leaves in what it interrupted, beside its own frames, which no window contains
 * (formats/profile/own-frames.js): that time goes to the function above.
 * @param {CallTree} tree
 * @returns {CallTree}
 */
function withoutInterruptNatives (tree) {
  const children = tree.children.filter(({ frame }) => !isInterruptNative(frame))
  const micros = tree.children.reduce((sum, { frame, totalMicros }) => isInterruptNative(frame) ? sum + totalMicros : sum, 0)
  return { ...tree, selfMicros: tree.selfMicros + micros, children: children.map(withoutInterruptNatives) }
}

/** @param {Frame} frame */
function isInterruptNative (frame) {
  const { origin, name } = frame
  return ((origin === 'native' || origin === 'node') && INTERRUPT_NATIVES.has(name)) || isSpecies(frame)
}

/**
 * The synchronous API or builtin at the bottom, by its usual name. A function of Node's is in the samples. V8's builtins have no frame there:
 * they come from the stacks, or from the text of the hottest line.
 * @param {CallTree[]} path
 * @param {number} depth     of the culprit
 * @param {Match[]} matches  of the culprit
 * @param {Position} position  of the call in the culprit
 * @param {SourceLines} source
 * @returns {string | null} null when JavaScript took the time
 */
function calledApi (path, depth, matches, position, source) {
  const { frame, totalMicros } = path[depth]
  const below = path.slice(depth + 1).find(isCallable)
  if (below === undefined || below.totalMicros < totalMicros * CALL_SHARE) return builtinIn(path, depth, matches, source) ?? writtenBuiltin(path, depth, position, source)
  const { name } = below.frame
  if (name.startsWith(EXPRESSION)) return builtinIn(path, depth, matches, source) ?? ANY_EXPRESSION
  if (name !== ZLIB_SYNC && name !== NAMELESS) return publicName(below.frame) ?? name
  const written = nameAt(source.read(frame.file, position.line)[0] ?? '', position.column)
  if (name === NAMELESS) return written
  return written?.endsWith('Sync') ? written : 'zlib.*Sync'
}

/**
 * Whether it is what an application calls: not the wrapper that util.promisify() makes.
 * @param {CallTree} tree
 */
function isCallable ({ frame: { origin, name, file } }) {
  return origin === 'native' || (origin === 'node' && !(file === 'node:internal/util' && name === 'fn'))
}

/**
 * A call has at least half of the culprit's time to be named: here is how much.
 * @param {CallTree[]} path
 * @param {number} depth  of the culprit
 * @param {Pick<Culprit, 'call' | 'via'>} culprit
 * @param {SourceLines} source
 */
function calledShareOf (path, depth, { call, via }, source) {
  const tree = path[depth]
  if (call !== null) {
    const below = path.slice(depth + 1).find(isCallable)
    if (below !== undefined && below.totalMicros >= tree.totalMicros * CALL_SHARE) return below.totalMicros / tree.totalMicros
    const { frame, lines, selfMicros } = path[path.length - 1]
    const ofCall = sum(lines, ([line, micros]) => builtinOn(source.read(frame.file, workLine(frame, line, source))[0] ?? '') === call ? micros : 0)
    return ofCall === 0 ? 1 : ofCall / sum(lines.values()) * selfMicros / tree.totalMicros
  }
  const outermost = path.slice(depth + 1).find(({ frame }) => frame.origin === 'dependency')
  return via === null || outermost === undefined || tree.frame.origin === 'dependency' ? 1 : packageMicros(tree, packageOf(outermost.frame.file)) / tree.totalMicros
}

/**
 * The builtin that at least every second stack is in.
 * @param {CallTree[]} path
 * @param {number} depth
 * @param {Match[]} matches
 * @param {SourceLines} source
 */
function builtinIn (path, depth, matches, source) {
  const names = matches.flatMap(({ call, inner }) => {
    const at = inner.findLastIndex((call, at) => isBuiltin(call) && !PASSING_ON.has(call.name) && (at === 0 || WORKING.has(call.name)))
    if (at === -1 || !tookTime(path, depth, { caller: inner[at + 1] ?? call, isInnermost: at === 0 }, source)) return []
    const { name, receiver } = inner[at]
    const shown = receiver === 'Function' || receiver === '' ? name : `${receiver}.${name}`
    return LITTLE_FUNCTION.test(shown) || LITTLE_METHOD.test(shown) ? [] : [shown]
  })
  const most = mostFrequent(names, name => name)
  return most !== undefined && most.count >= matches.length / 2 ? most.value : null
}

/**
 * Samples show a builtin's time in the function that called it, on the line of the call; its callbacks are below that. The stack may also be
 * of a later builtin, because V8 does not interrupt the one that took the time.
 * @param {CallTree[]} path
 * @param {number} depth
 * @param {{ caller: StackCall, isInnermost: boolean }} seen
 * @param {SourceLines} source
 */
function tookTime (path, depth, { caller, isInnermost }, source) {
  const tree = path.slice(depth).findLast(({ frame }) => isSame(frame, caller))
  // A builtin called by another builtin, or by Node.
  if (tree === undefined) return caller.line === 0
  const line = hottestLine(tree, source)
  if (isInnermost && line !== null && line !== caller.line && workLine(tree.frame, line, source) !== caller.line) return false
  const expressions = tree.children.filter(({ frame }) => frame.name.startsWith(EXPRESSION))
  const ownMicros = expressions.reduce((sum, { totalMicros }) => sum + totalMicros, tree.selfMicros)
  return (isInnermost ? ownMicros : tree.totalMicros) >= path[depth].totalMicros * CALL_SHARE
}

/**
 * @param {CallTree[]} path
 * @param {number} depth
 * @param {Position} position  of the call in the culprit
 * @param {SourceLines} source
 */
function writtenBuiltin (path, depth, position, source) {
  const leaf = path[path.length - 1]
  if (leaf.selfMicros < path[depth].totalMicros * CALL_SHARE) return null
  // V8's lines of a bundle are not those of the code as it was written.
  const line = hottestLine(leaf, source) ?? (leaf === path[depth] ? position.line : null)
  return line === null ? null : builtinOn(source.read(leaf.frame.file, workLine(leaf.frame, line, source))[0] ?? '')
}

/**
 * The dependency that the application called, through which of its functions, and in which of its own dependencies the time was spent.
 * @param {CallTree[]} path
 * @param {number} depth     of the culprit
 * @param {Match[]} matches  of the culprit
 * @param {Position} position  of the call in the culprit
 * @param {SourceLines} source
 * @returns {Culprit['via']}  for a culprit in a dependency, only with `through`: its own package shows in its file
 */
function enteredPackage (path, depth, matches, position, source) {
  const { frame: caller } = path[depth]
  if (caller.origin === 'dependency') {
    const through = passedThrough(path, depth, depth, matches)
    return through && { package: packageOf(caller.file), function: nameOf(caller, matches), through }
  }
  if (caller.origin !== 'app') return null
  const outermost = path.slice(depth + 1).find(({ frame }) => frame.origin === 'dependency')
  if (outermost === undefined || packageMicros(path[depth], packageOf(outermost.frame.file)) < path[depth].totalMicros * ENTERED_SHARE) return null
  const entered = wrappedIn(outermost, path, path[depth].totalMicros * ENTERED_SHARE, source)
  const { frame } = entered
  const isWrapped = entered !== outermost
  const written = !isWrapped && MEANINGFUL_NAME.test(frame.name) ? null : nameAt(source.read(caller.file, position.line)[0] ?? '', position.column)
  const name = packageOf(frame.file)
  // Wrappers rename what they wrap, and the call of a callback between is not the call of the package.
  const isMain = enteredMicros(path[depth], frame => frame === outermost.frame) >= packageMicros(path[depth], packageOf(outermost.frame.file)) * ENTERED_SHARE
  const entrance = isWrapped ? (path[depth + 1] === outermost && written) || NAMELESS : isMain ? written ?? nameOf(frame, matches) : NAMELESS
  return {
    package: name,
    function: entrance.startsWith(`${name}.`) ? entrance.slice(name.length + 1) : entrance,
    through: passedThrough(path, depth, path.indexOf(entered), matches)
  }
}

/**
 * A package may give the functions that it offers a wrapper of another package, which is then entered first: the package inside that wrapper is the one that was called.
 * @param {CallTree} wrapper  the first function of a package on the path
 * @param {CallTree[]} path
 * @param {number} minMicros
 * @param {SourceLines} source
 * @returns {CallTree} the function inside that wrapper, of the package that depends on it; else the wrapper itself
 */
function wrappedIn (wrapper, path, minMicros, { dependsOn }) {
  const name = packageOf(wrapper.frame.file)
  const inner = path.slice(path.indexOf(wrapper) + 1).find(({ frame }) => frame.origin !== 'native' && packageOf(frame.file) !== name)
  return inner?.frame.origin === 'dependency' && inner.totalMicros >= minMicros && dependsOn(inner.frame.file, name) ? inner : wrapper
}

/**
 * Time in a package below a function of the application, which may enter it at several functions.
 * @param {CallTree} caller
 * @param {string} name
 */
function packageMicros (caller, name) {
  return enteredMicros(caller, ({ file }) => packageOf(file) === name)
}

/**
 * Time below a function of the application in the functions at which it enters packages.
 * @param {CallTree} caller
 * @param {(entrance: Frame) => boolean} isMeant
 * @returns {number}
 */
function enteredMicros ({ children }, isMeant) {
  return sum(children, child => {
    if (child.frame.origin !== 'dependency') return enteredMicros(child, isMeant)
    return isMeant(child.frame) ? child.totalMicros : 0
  })
}

/**
 * The innermost other package with most of the time, and where it was entered: the dependency of a dependency.
 * @param {CallTree[]} path
 * @param {number} depth    of the culprit
 * @param {number} entered  where the package that the application called begins
 * @param {Match[]} matches
 * @returns {NonNullable<Culprit['via']>['through']}
 */
function passedThrough (path, depth, entered, matches) {
  const isOf = (/** @type {CallTree} */ { frame }, /** @type {string} */ name) => frame.origin === 'dependency' && packageOf(frame.file) === name
  const own = packageOf(path[entered].frame.file)
  const below = path.slice(entered + 1)
  const inner = below.findLast(tree => tree.frame.origin === 'dependency' && !isOf(tree, own) && tree.totalMicros >= path[depth].totalMicros * ENTERED_SHARE)
  if (inner === undefined) return null
  const name = packageOf(inner.frame.file)
  const at = below.indexOf(inner)
  const before = below.slice(0, at).findLastIndex(({ frame }) => frame.origin === 'dependency' && packageOf(frame.file) !== name)
  const entrance = /** @type {CallTree} */ (below.slice(before + 1).find(tree => isOf(tree, name)))
  return { package: name, function: nameOf(entrance.frame, matches) }
}

/** @param {Frame} frame @param {Match[]} matches */
function nameOf (frame, matches) {
  const call = matches.flatMap(({ inner }) => inner.findLast(one => isSame(frame, one)) ?? [])[0]
  if (V8_NAME.test(frame.name)) return NAMELESS
  const receiver = RECEIVERS.get(call?.receiver ?? '')
  // V8 names anonymous functions after what they were assigned to, and what stands before that (`process.env.NODE_ENV.exports.render`); in minified code that
  // has no meaning.
  const name = (frame.name === 'module.exports' ? fileName(frame) : frame.name).replace(/^((.*\.)?exports|\w{1,2})\./, '').replace(BUNDLED, '')
  return receiver === undefined || name.includes('.') ? name : `${receiver}.${name}`
}

/** A function that is all of its module is mostly called as its file. @param {Frame} frame */
function fileName ({ file, name }) {
  const [, base = 'index'] = /([^/]+)\.[cm]?js$/.exec(file) ?? []
  return base === 'index' ? name : base
}

module.exports = { findCulprit }
