'use strict'

// Combines the stacks read in the middle of a stall with its samples. Samples show which function took the time. A stack was read at a moment
// that V8 chose and may show something else: only stacks that hold the same function count. They restore the time of calls that V8 inlined,
// and give the culprit its line and column. Pure: the lines of a file are passed in.

const { sum, sumBy } = require('../../../base/sums')
const { describeFrame, packageOf } = require('../../../formats/profile/frame')
const { MAX_KEYWORDS } = require('../../labels/function-keys')
const { isBuiltin } = require('./blocked-stacks')
const { escaped, findCall, findPackageCall, lengthOf, workOfLoop } = require('./call-in-source')

/** @import { CallTree } from '../../../formats/profile/call-tree' */
/** @import { Frame } from '../../../formats/profile/frame' */
/** @import { Stack, StackCall } from './blocked-stacks' */
/** @import { Position } from './call-in-source' */
/** @import { SourceLines } from './source-lines' */

const MAX_FUNCTION_LINES = 2000
const MAX_INLINED = 10 // nested inlined calls
const MAX_INSIDES = 4 // calls of one stack
const INLINED_SHARE = 1 / 2 // of the stacks that hold the caller, and of its time
const OWN_SHARE = 1 / 2 // of a function's time, from which the function itself is busy
const CALLED_SHARE = 1 / 2

/**
 * @typedef {object} Match
 * @property {StackCall} call  of the function
 * @property {Stack} inner     what it had called, innermost first
 * @property {number} agreed   how many frames of the path below it are also in the stack, without a gap
 */

/**
 * @typedef {object} Inlined
 * @property {StackCall} callee
 * @property {Set<number>} callLines  of the caller
 * @property {StackCall[]} insides    the callee and what it had called, if they were running and not only about to begin
 */

/**
 * The stacks that hold a function of the path.
 * @param {Stack[]} stacks
 * @param {CallTree[]} path
 * @param {number} depth  of the function on the path
 * @returns {Match[]} the matches that agree best with the path below the function
 */
function matchStacks (stacks, path, depth) {
  const below = path.slice(depth + 1).map(({ frame }) => frame).filter(({ file }) => file !== '')
  const matches = stacks.flatMap(stack => bestOf(stack, path[depth].frame, below) ?? [])
  // V8 interrupts a native call only after its return, when the function may already be on its next line.
  const agreeing = matches.filter(({ agreed }) => agreed > 0)
  return agreeing.length > 0 ? agreeing : matches
}

/**
 * The best match in a stack: a recursive function is on the stack more than once.
 * @param {Stack} stack
 * @param {Frame} frame
 * @param {Frame[]} below
 * @returns {Match | undefined}
 */
function bestOf (stack, frame, below) {
  /** @type {Match | undefined} */
  let best
  stack.forEach((call, at) => {
    if (!isSame(frame, call)) return
    const inner = stack.slice(0, at)
    const agreed = agreement(inner.filter(one => one.file !== '').reverse(), below)
    if (best === undefined || agreed > best.agreed) best = { call, inner, agreed }
  })
  return best
}

/**
 * @param {Stack} calls   outermost first
 * @param {Frame[]} frames  outermost first
 */
function agreement (calls, frames) {
  const end = frames.findIndex((frame, at) => calls[at] === undefined || !isSame(frame, calls[at]))
  return end === -1 ? frames.length : end
}

/** @param {Frame} frame @param {StackCall} call */
function isSame (frame, call) {
  if (frame.file !== call.file || isBuiltin(call)) return false
  // Node's own frames have no positions.
  if (frame.origin === 'node') return frame.name === (call.name || '(anonymous)')
  return isAtParameters(frame, call)
}

/**
 * V8 also interrupts a function before it has run, where its parameters begin: what took the time came before its call.
 * @param {StackCall} call
 */
function hasNotBegun (call) {
  return call.functionLine > 0 && isAtParameters(call, call)
}

/**
 * @param {{ name: string, line: number, column: number }} place
 * @param {StackCall} call  of the function
 */
function isAtParameters ({ name, line, column }, { functionLine, functionColumn }) {
  const between = column - functionColumn
  return line === functionLine && between >= 0 && between <= name.length + MAX_KEYWORDS
}

/**
 * The heaviest path of a call tree: from the root always down to the heaviest child, as long as something below is heavier than the node
 * itself.
 * @param {CallTree} root
 * @returns {CallTree[]} outermost first; empty where no code ran
 */
function heaviestPath (root) {
  const path = []
  let node = heaviest(root.children.filter(({ frame }) => frame.origin !== 'meta'))
  while (node !== undefined) {
    path.push(node)
    const child = heaviest(node.children)
    node = child !== undefined && child.totalMicros >= node.selfMicros ? child : undefined
  }
  return path
}

/** @param {CallTree[]} trees */
function heaviest (trees) {
  return trees.reduce((/** @type {CallTree | undefined} */ most, tree) =>
    tree.totalMicros > (most?.totalMicros ?? 0) ? tree : most, undefined)
}

/**
 * A function that V8 inlined has no frame in the samples: its time is in the caller, on lines of the callee or on the line of the call. Below
 * Node's own functions (process.nextTick, emit) an application may be missing altogether. The stacks do have such calls: where they show one,
 * and the lines of the samples do not contradict it, the call gets the time.
 * @param {CallTree} root  is modified
 * @param {Stack[]} stacks
 * @param {SourceLines} source
 * @returns {CallTree} the same tree
 */
function withInlinedCalls (root, stacks, source) {
  for (let left = MAX_INLINED; left > 0; left--) {
    const path = heaviestPath(root)
    const inlined = path.length === 0 ? null : inlinedCall(path, stacks)
    if (inlined === null || !moveTimeToCallee(path, inlined, frameOf(root, inlined.callee), source)) break
  }
  return root
}

/**
 * @param {CallTree[]} path
 * @param {Stack[]} stacks
 * @returns {Inlined | null} what most stacks show below the last function of the samples
 */
function inlinedCall (path, stacks) {
  const matches = matchStacks(stacks, path, path.length - 1)
  const calls = matches.flatMap(({ call, inner }) => {
    const at = inner.findLastIndex(hasSourcePosition)
    const insides = inner.slice(0, at + 1).filter((one, index) => hasSourcePosition(one) && (index > 0 || one.line !== one.functionLine))
    return at === -1 ? [] : [{ line: call.line, callee: inner[at], insides: insides.slice(-MAX_INSIDES) }]
  })
  const most = mostFrequent(calls, ({ callee }) => functionKey(callee))
  if (most === undefined || most.count < matches.length * INLINED_SHARE) return null
  const { callee } = most.value
  const same = calls.filter(call => functionKey(call.callee) === functionKey(callee))
  const insides = new Map(same.flatMap(({ insides }) => insides).map(one => [functionKey(one), one]))
  return { callee, callLines: new Set(same.map(({ line }) => line)), insides: [...insides.values()] }
}

/** @param {StackCall} call */
function functionKey ({ functionLine, functionColumn, file }) {
  return `${functionLine}:${functionColumn}:${file}`
}

/**
 * @param {CallTree[]} path
 * @param {Inlined} inlined
 * @param {Frame} frame  of the callee
 * @param {SourceLines} source
 * @returns {boolean} whether the time was the callee's
 */
function moveTimeToCallee (path, inlined, frame, source) {
  const caller = path[path.length - 1]
  const lines = [...caller.lines].filter(([line]) => isOfCallee(line, caller.frame, inlined, source))
  const share = caller.frame.origin === 'node' || caller.lines.size === 0 ? 1 : sum(lines, ([, micros]) => micros) / sum(caller.lines.values())
  if (caller.selfMicros === 0 || share < INLINED_SHARE) return false
  const callee = childOf(caller, frame)
  const micros = caller.selfMicros * share
  const selfSamples = Math.round(caller.selfSamples * share)
  for (const [line, micros] of lines) {
    caller.lines.delete(line)
    if (!inlined.callLines.has(line)) callee.lines.set(line, (callee.lines.get(line) ?? 0) + micros)
  }
  caller.selfMicros -= micros
  caller.selfSamples -= selfSamples
  callee.selfMicros += micros
  callee.totalMicros += micros
  callee.selfSamples += selfSamples
  return true
}

/**
 * Whether a line of the caller's samples is the callee's: lines in a profile have no file. A line that both functions have may be where the
 * caller made a native call, which has no frame in samples either and after which the stack was read: then the callee had only begun.
 * @param {number} line
 * @param {Frame} caller
 * @param {Inlined} inlined
 * @param {SourceLines} source
 */
function isOfCallee (line, caller, { callee, callLines, insides }, source) {
  if (callLines.has(line) && insides.some(one => functionKey(one) === functionKey(callee))) return true
  if (insides.some(one => isWithin(line, one, source))) return true
  if (!isWithin(line, callee, source)) return false
  if (caller.file === callee.file && caller.line < callee.functionLine) return true
  return !isWithin(line, { file: caller.file, functionLine: caller.line }, source)
}

/**
 * @param {number} line
 * @param {Pick<StackCall, 'file' | 'functionLine'>} beginning  of a function
 * @param {SourceLines} source
 */
function isWithin (line, { file, functionLine }, source) {
  if (line < functionLine) return false
  const lines = linesFrom({ file, line: functionLine }, source)
  return lines.length === 0 || line < functionLine + lengthOf(lines)
}

/**
 * @param {CallTree} root
 * @param {StackCall} call
 * @returns {Frame} the one from the samples, if there is one
 */
function frameOf (root, call) {
  const pending = [root]
  for (const tree of pending) {
    if (isSame(tree.frame, call)) return tree.frame
    pending.push(...tree.children)
  }
  const { name, file, functionLine, functionColumn } = call
  const callFrame = { functionName: name, scriptId: '', url: file, lineNumber: functionLine - 1, columnNumber: functionColumn - 1 }
  return describeFrame(callFrame)
}

/** @param {CallTree} parent @param {Frame} frame */
function childOf (parent, frame) {
  const known = parent.children.find(child => child.frame === frame)
  if (known !== undefined) return known
  const child = { frame, selfMicros: 0, totalMicros: 0, selfSamples: 0, children: [], lines: new Map(), routes: new Map(), processes: new Map() }
  parent.children.push(child)
  return child
}

/** @param {StackCall} call */
function hasSourcePosition ({ file, functionLine }) {
  return file !== '' && !/^(?:node|wasm):/.test(file) && functionLine > 0
}

/**
 * The line and column of the culprit: its hottest line if it was busy itself, else the call that took the time. The samples have the hottest
 * line. For a call they have only where a function begins; the stacks or the source text show the call.
 * @param {CallTree[]} path
 * @param {number} depth     of the culprit
 * @param {Match[]} matches  of the culprit
 * @param {SourceLines} source
 * @returns {Position} the start of the function when nothing else is known
 */
function positionOf (path, depth, matches, source) {
  const { frame } = path[depth]
  const line = hottestLine(path[depth], source)
  if (line !== null) return workOf(frame, line, source) ?? { line, column: columnOn(line, matches) ?? (line === frame.line ? frame.column : 0) }
  const seen = mostFrequent(matches.map(({ call }) => call), positionKey)?.value
  if (matches.some(({ agreed }) => agreed > 0)) return toPosition(seen ?? frame)
  const work = seen !== undefined && isBusyItself(path[depth]) ? workOf(frame, seen.line, source) : null
  return writtenCall(path, depth, source, seen) ?? work ?? lineInside(path[depth], seen, matches, source) ?? toPosition(seen ?? callbackIn(path, depth, source) ?? frame)
}

/**
 * V8 reads a stack as a function begins, more often than elsewhere: a line at which samples saw the function work says more.
 * @param {CallTree} tree
 * @param {StackCall | undefined} seen  where most stacks saw it
 * @param {Match[]} matches
 * @param {SourceLines} source
 */
function lineInside (tree, seen, matches, source) {
  if (seen !== undefined && seen.line !== tree.frame.line) return null
  const line = mostSampledLine(tree, source)
  return line === null || line === tree.frame.line ? null : { line, column: columnOn(line, matches) ?? 0 }
}

/**
 * @param {CallTree} tree
 * @param {Pick<SourceLines, 'count'>} source
 * @returns {number | null} the hottest line, if most of its time is its own and V8 recorded lines
 */
function hottestLine (tree, source) {
  return isBusyItself(tree) ? mostSampledLine(tree, source) : null
}

/**
 * V8 counts code inlined from another file under the caller, with line numbers of the other file. Lines that the caller cannot have are left
 * out.
 * @param {CallTree} tree
 * @param {Pick<SourceLines, 'count'>} source
 */
function mostSampledLine ({ frame, lines }, source) {
  const last = source.count(frame.file) ?? Infinity
  const own = [...lines].filter(([line]) => line >= frame.line && line <= last)
  return own.sort(([, left], [, right]) => right - left)[0]?.[0] ?? null
}

/** @param {CallTree} tree */
function isBusyItself ({ selfMicros, totalMicros }) {
  return selfMicros >= totalMicros * OWN_SHARE
}

/** @param {number} line @param {Match[]} matches */
function columnOn (line, matches) {
  const there = matches.map(({ call }) => call).filter(call => call.line === line)
  return mostFrequent(there, positionKey)?.value.column
}

/**
 * @param {CallTree[]} path
 * @param {number} depth
 * @param {SourceLines} source
 * @param {Position} [later]  where the function stood after the call
 */
function writtenCall (path, depth, source, later) {
  const { frame, selfMicros, totalMicros } = path[depth]
  const called = path[depth + 1]
  if (frame.file === '' || called === undefined) return null
  // V8 has no line for the time in a function of Node's: the lines of the samples show only what the caller did itself.
  const isMost = called.totalMicros >= totalMicros * CALLED_SHARE || (called.frame.origin === 'node' && called.totalMicros > selfMicros)
  const found = isMost ? findCall(linesFrom(frame, source), frame, writtenName(called.frame.name), later) : null
  const packageName = found === null ? calledPackageOf(path[depth]) : null
  return packageName === null ? found : findPackageCall(linesFrom({ ...frame, line: 1 }, source), frame, packageName)
}

/**
 * The package that a function calls for most of its time, in whichever of the package's functions.
 * @param {CallTree} caller
 * @returns {string | null}
 */
function calledPackageOf ({ totalMicros, children }) {
  const called = children.filter(({ frame }) => frame.origin === 'dependency')
  const byPackage = sumBy(called, ({ frame }) => packageOf(frame.file), child => child.totalMicros)
  return [...byPackage].find(([, micros]) => micros >= totalMicros * CALLED_SHARE)?.[0] ?? null
}

/**
 * An anonymous comparator or callback in the function's text stands in the call that takes the time, or close below it.
 * @param {CallTree[]} path
 * @param {number} depth
 * @param {SourceLines} source
 * @returns {Position | null} where it begins
 */
function callbackIn (path, depth, source) {
  const { frame } = path[depth]
  const called = path[depth + 1]?.frame
  if (called === undefined || called.name !== '(anonymous)' || called.file !== frame.file || called.line < frame.line) return null
  return called.line < frame.line + lengthOf(linesFrom(frame, source)) ? called : null
}

/**
 * @param {Pick<Frame, 'file' | 'line'>} frame
 * @param {SourceLines} source
 * @returns {string[]} lines from the start of the function
 */
function linesFrom ({ file, line }, source) {
  return source.read(file, line, line + MAX_FUNCTION_LINES)
}

/**
 * @param {Frame} frame  of a function that is busy itself
 * @param {number} line  where the samples show it
 * @param {SourceLines} source
 * @returns {Position | null}
 */
function workOf ({ file }, line, source) {
  const work = file === '' ? null : workOfLoop(linesFrom({ file, line }, source))
  return work && { line: line + work.line, column: work.column }
}

/**
 * @param {Frame} frame
 * @param {number} line  where the samples show it
 * @param {SourceLines} source
 * @returns {number} the same line; of a loop that was seen at its head the one in it that took the time
 */
function workLine (frame, line, source) {
  return workOf(frame, line, source)?.line ?? line
}

/** The name as a regular expression: inside, all synchronous functions of zlib are one. @param {string} name */
function writtenName (name) {
  if (name === 'syncBufferWrapper') return '\\w+Sync'
  return escaped(name.replace(/.*\./, ''))
}

/** @param {Position} position */
function toPosition ({ line, column }) {
  return { line, column }
}

/** @param {Position} position */
function positionKey ({ line, column }) {
  return `${line}:${column}`
}

/**
 * The most frequent value; the first of equal ones.
 * @template T
 * @param {T[]} values
 * @param {(value: T) => string} keyOf
 * @returns {{ value: T, count: number } | undefined}
 */
function mostFrequent (values, keyOf) {
  /** @type {Map<string, { value: T, count: number }>} */
  const counts = new Map()
  for (const value of values) {
    const known = counts.get(keyOf(value)) ?? { value, count: 0 }
    known.count++
    counts.set(keyOf(value), known)
  }
  return [...counts.values()].sort((one, other) => other.count - one.count)[0]
}

module.exports = { hasNotBegun, heaviestPath, hottestLine, isSame, isWithin, matchStacks, mostFrequent, positionOf, withInlinedCalls, workLine }
