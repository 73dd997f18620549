'use strict'

// Finds the line on which a function probably keeps what it allocates: V8 knows the function, not the line. It is the only line of the function that adds
// something to a collection, a listener or a timer; where there are several, or none, no line is named. Pure but for the source lines.

const { isBuiltin } = require('node:module')
const { KEEPING_PACKAGES, packageOfPath } = require('../../../shared/heap/keeping-packages')
const { escaped } = require('../../stalls/culprit/call-in-source')
const { BUILTIN, CALLED, EMPTIED, GUESSED, KEYWORD, KINDS, MAX_FILE_LINES, RANKS, codeOf, constructorsOf, definedIn, linesThatKeep, rankOf, receiverBefore, requiredBy, scopeOf, withFiles } = require('./keeping-code')

/** @import { AllocationSite } from '../../../../types/memory' */
/** @import { CodeFrame } from '../../../../types/diagnostics' */
/** @import { SourceLines } from '../../stalls/culprit/source-lines' */
/** @import { Code, Line } from './keeping-code' */

const MAX_TEXT = 120
const MAX_WRITTEN_LINES = 2000 // of a file that people write
const COLLECTIONS = new Set(['Map', 'Set', 'Array', 'object', 'listeners'])
// Each line of these keeps what it adds: of several the first one is as true.
const EACH_KEEPS = new Set(['performance entries'])
const MAX_CALLS = 3 // from function to function
const MAX_CALLED = 50
/** Where a function begins: an arrow function, or another one. */
const BEGINS = /(?:\basync\s*)?(?:\([^()]*\)(?:\s*:[^=;(]+)?|(?<![\w$.])[\w$]+)\s*=>|\bfunction\b|(?<=^\s+(?:(?:static|async|public|private|protected|override)\s+)*)[\w$#]+\s*\([^;()]*\)\s*(?::[^;{}]+)?\{\s*$/g
const COMMENT = /^\s*(?:\/\/|\*|\/\*).*/
/** A variable that is a function, or gets one. */
const GIVEN = /\b(?:const|let|var)\s+([\w$]+)\s*(?::[^=]+)?=\s*(?!new\b)/
const MAX_OPTIONS = 20 // lines of a call that a function is written in

/** A call of which the result is not used: of what, and its method. */
const HANDS_OVER = /^\s*(?:await\s+|void\s+)?((?:this\.)?[A-Za-z_$#][\w$#]*(?:\.[\w$#]+)*)\s*\.\s*([\w$#]+)\s*\(\s*[^\s)]/
// They tell, count, or end something.
const KEEPS_NOTHING = /^(?:log|info|warn|error|debug|trace|fatal|emit|write|send|json|end|close|clear\w*|delete|remove\w*|off|inc\w*|dec\w*|observe|count|timing|begin|start|stop|release|abort|destroy|pipe|query|exec\w*|run|listen|get\w*|has|forEach|sort|reverse)$/

/**
 * @param {readonly CodeFrame[]} chain  functions, innermost first
 * @param {string | null} holder  what the stack shows of it
 * @param {Pick<SourceLines, 'read'>} source
 * @param {readonly CodeFrame[]} [handlers]  of the route: they count where those on the stack keep nothing
 * @returns {{ keptAt: NonNullable<AllocationSite['keptAt']>, holder: string } | null}
 */
function keptLineOf (chain, holder, source, handlers = []) {
  const found = searched(chain, holder, source, handlers)
  return found && { keptAt: found.keptAt, holder: found.holder }
}

/**
 * @param {readonly CodeFrame[]} chain
 * @param {string | null} holder
 * @param {Pick<SourceLines, 'read'>} source
 * @param {readonly CodeFrame[]} handlers
 * @returns {ReturnType<typeof bestOf>}
 */
function searched (chain, holder, source, handlers) {
  const files = withFiles(source)
  const stacks = [chain, handlers].map(places => places.map(place => codeOf(place, files)))
  /** Of a line that loses as well what it adds. @type {ReturnType<typeof bestOf>} */
  let weak = null
  for (const codes of stacks) {
    const functions = codes.map((code, at) => toFunction(code, codes.slice(at + 1), holder))
    const found = bestOf(functions, holder)
    if (found?.isWeak) weak ??= found
    else if (found !== null || functions.some(({ lines }) => lines.length > 0)) return found ?? weak
  }
  // V8 does not show a function that it has inlined into its caller.
  const called = calledBy(stacks.flat(), files).map(code => ({ ...toFunction(code, [], holder), isOfCall: code.isOfCall })).filter(({ lines }) => lines.length > 0)
  const outliving = called.filter(({ isOfCall }) => !isOfCall)
  const possible = outliving.length > 0 ? outliving : called
  const found = new Set(possible.map(({ place }) => `${place.file}:${place.line}`)).size === 1 ? bestOf(possible.slice(0, 1), holder) : null
  return found === null || found.isWeak ? weak ?? found : found
}

/** @param {Code} code @param {Code[]} callers @param {string | null} holder */
function toFunction (code, callers, holder) {
  return { place: code.place, lines: linesThatKeep(code, scopeOf(code, callers), holder) }
}

/**
 * @param {{ place: CodeFrame, lines: Line[] }[]} functions  innermost first
 * @param {string | null} holder
 * @returns {{ keptAt: NonNullable<AllocationSite['keptAt']>, holder: string, isWeak: boolean } | null}
 */
function bestOf (functions, holder) {
  for (const ranks of RANKS) {
    for (const { place, lines } of functions) {
      const ofHolder = lines.filter(({ kind }) => isOfHolder(kind, holder))
      const isKind = ofHolder.length > 0
      // What is built may be a collection as well: then the stack shows that one.
      const wanted = isKind ? ofHolder : lines
      const best = ranks.map(rank => buildingOr(wanted, lines, rank, holder)).find(found => found.length > 0) ?? []
      if (best.length === 0) continue
      if (new Set(best.map(({ line }) => line)).size > 1 && !best.every(({ kind }) => EACH_KEEPS.has(kind))) return null
      const [{ line, text, kind, rank }] = best
      const isKnown = holder !== null && (isOfHolder(kind, holder) || !KINDS.has(holder)) // else sockets and the like, which a collection may hold
      return { keptAt: { file: place.file, line, text: shortened(text) }, holder: isKnown ? holder : kind === 'object' ? 'Map' : kind, isWeak: rank >= EMPTIED && rank < GUESSED }
    }
  }
  return null
}

// What these make is filled by the function that the stack shows.
const BUILDS = Object.freeze(/** @type {Record<string, RegExp>} */ ({ Map: /\bstructuredClone\s*\(|\bnew\s+Map\s*\(\s*[^\s)]/, Set: /\bstructuredClone\s*\(|\bnew\s+Set\s*\(\s*[^\s)]/ }))

/**
 * @param {Line[]} wanted
 * @param {Line[]} lines
 * @param {number} rank
 * @param {string | null} holder
 * @returns {Line[]} those of this rank; of all lines that add such a collection as a whole, where there are any
 */
function buildingOr (wanted, lines, rank, holder) {
  const building = lines.filter(line => line.rank === rank && BUILDS[holder ?? '']?.test(line.text))
  return building.length > 0 ? building : wanted.filter(line => line.rank === rank)
}

/**
 * Nearest first.
 * @param {Code[]} codes
 * @param {Pick<SourceLines, 'read'>} source
 * @returns {Code[]}
 */
function calledBy (codes, source) {
  const found = new Map(codes.map(code => [`${code.place.file}:${code.place.line}`, code]))
  let [next, depth] = [codes, 0]
  while (next.length > 0 && ++depth <= MAX_CALLS && found.size < MAX_CALLED) {
    next = next.flatMap(code => calledIn(code, source)).filter(({ place }) => !found.has(`${place.file}:${place.line}`))
    for (const code of next) found.set(`${code.place.file}:${code.place.line}`, code)
  }
  return [...found.values()].filter(code => !codes.includes(code))
}

/**
 * The functions and methods that a function calls, by their names: of its file, and of those that this requires by a relative path.
 * @param {Code} code
 * @param {Pick<SourceLines, 'read'>} source
 * @returns {Code[]}
 */
function calledIn (code, source) {
  const { place, lines } = code
  const scope = scopeOf(code, [])
  /** By name, whether it is called only on what goes with the call. @type {Map<string, boolean>} */
  const called = new Map()
  /** @type {Set<string>} */
  const classes = new Set()
  for (const { code: text } of lines) {
    for (const { 1: name, index } of text.matchAll(CALLED)) {
      if (/\bnew\s+$/.test(text.slice(0, index))) classes.add(name)
      const receiver = text[index - 1] === '.' ? receiverBefore(text, index - 1) : null
      if (KEYWORD.test(name) || (BUILTIN.has(name) && !(receiver !== null && code.isOwn(receiver, name)))) continue
      const isOfCall = receiver === 'this' ? code.isOfCall === true : receiver !== null && rankOf(receiver, scope) === null
      called.set(name, isOfCall && called.get(name) !== false)
    }
  }
  if (called.size === 0) return []
  const end = place.line + lines.length
  const constructors = [...classes].flatMap(name => constructorsOf(name, place.file, source)).map(found => codeOf(found, source))
  const functions = definedIn(place.file, new Set(called.keys()), source).filter(({ file, line }) => file !== place.file || line < place.line || line >= end)
    .map(found => ({ ...codeOf(found, source), isOfCall: called.get(found.function) }))
  return [...functions, ...constructors]
}

/**
 * The line that gives a function to a package which keeps its results: that of the function itself, or the only one of its file with its name, or of the
 * call that it is written in.
 * @param {readonly CodeFrame[]} chain  functions, innermost first
 * @param {string | null} holder  null: the stack shows none, as after an await
 * @param {Pick<SourceLines, 'read'>} source
 * @returns {ReturnType<typeof keptLineOf>}
 */
function wrappedAt (chain, holder, source) {
  const files = withFiles(source)
  for (const row of KEEPING_PACKAGES) {
    if (row.wraps === undefined || (holder !== null && row.holder !== holder)) continue
    for (const place of chain) {
      const line = wrappingLine(place, row.wraps, files)
      if (line !== null) return { keptAt: { file: place.file, line, text: shortened(files.read(place.file, line)[0]) }, holder: row.holder }
    }
  }
  return null
}

/**
 * The only line that makes what keeps the rest, in the files of the code or those that they require by a relative path.
 * @param {readonly CodeFrame[]} places
 * @param {string | null} holder
 * @param {Pick<SourceLines, 'read'>} source
 * @returns {ReturnType<typeof keptLineOf>}
 */
function madeAt (places, holder, source) {
  const row = KEEPING_PACKAGES.find(({ holder: kept, madeBy }) => kept === holder && madeBy !== undefined)
  if (row?.madeBy === undefined) return null
  const { madeBy } = row
  const files = withFiles(source)
  const own = new Set(places.map(({ file }) => file))
  const found = [...new Set([...own, ...[...own].flatMap(file => requiredBy(file, files))])].flatMap(file => {
    return files.read(file, 1, MAX_FILE_LINES).flatMap((text, index) => madeBy.test(text.replace(COMMENT, '')) ? [{ file, line: index + 1, text: shortened(text) }] : [])
  })
  return found.length === 1 ? { keptAt: found[0], holder: row.holder } : null
}

/**
 * @param {CodeFrame} place
 * @param {RegExp} wraps
 * @param {Pick<SourceLines, 'read'>} files
 * @returns {number | null}
 */
function wrappingLine ({ file, line, column, function: name }, wraps, files) {
  if (file === '' || line === 0) return null
  const texts = files.read(file, 1, MAX_FILE_LINES).map(text => text.replace(COMMENT, ''))
  if (wraps.test(texts[line - 1] ?? '')) return line
  const isNamed = new RegExp(`(?<![\\w$])${escaped(name)}(?![\\w$])`)
  const found = texts.flatMap((text, index) => wraps.test(text) && isNamed.test(text) ? [index + 1] : [])
  if (found.length > 0) return found.length === 1 ? found[0] : null
  for (let above = line - 1; above >= Math.max(1, line - MAX_OPTIONS); above--) {
    const match = wraps.exec(texts[above - 1])
    if (match === null) continue
    if (codeOf({ function: '', file, line: above, column: match.index + 1 }, files).lines.length > line - above) return above
    break
  }
  // V8 may have inlined what it calls.
  const called = new Set(codeOf({ function: name, file, line, column }, files).lines.flatMap(({ code }) => [...code.matchAll(CALLED)].map(([, callee]) => callee)))
  const given = texts.flatMap((text, index) => called.has(GIVEN.exec(text)?.[1] ?? '') && wraps.test(text) ? [index + 1] : [])
  return given.length === 1 ? given[0] : null
}

/**
 * The line that calls a package whose own code keeps what it is given: in something that outlives the call, or by a timer of what it makes.
 * @param {CodeFrame} place  the function that calls it
 * @param {readonly CodeFrame[]} frames  of the package: what is called first, and what that calls
 * @param {Pick<SourceLines, 'read'>} source
 * @returns {{ keptAt: NonNullable<AllocationSite['keptAt']>, holder: string | null } | null}
 */
function keptByPackage (place, frames, source) {
  const files = withFiles(source)
  const own = codeOf(place, files)
  const [entry] = frames
  const name = /[\w$#]+$/.exec(entry.function)?.[0]
  if (name === undefined) return null
  const codes = frames.map(frame => codeOf(frame, files))
  const keptIn = (/** @type {Code[]} */ among, /** @type {number} */ below) => among.flatMap(code => linesThatKeep(code, scopeOf(code, []), null)
    .filter(({ kind, rank }) => rank < below && (kind === 'timers' || code.place.file === entry.file)))
  const onStack = keptIn(codes, GUESSED)
  // V8 does not show a function of the package that it has inlined into its caller.
  const kept = onStack.length > 0 ? onStack : keptIn(calledBy(codes, files).filter(({ isOfCall }) => !isOfCall), EMPTIED).filter(({ kind }) => kind !== 'promises')
  const call = new RegExp(`(\\s*\\??\\.\\s*)?(?<![\\w$#])${escaped(name)}\\s*\\(`)
  const found = own.lines.flatMap(({ code, text }, index) => {
    const match = call.exec(code)
    if (match === null) return []
    const isNew = /\bnew\s+(?:[\w$]+\.)*$/.test(code.slice(0, match.index) + (match[1] ?? ''))
    const rank = isNew ? null : rankOf(match[1] === undefined ? name : receiverBefore(code, match.index), scopeOf(own, []))
    const by = kept.filter(({ kind }) => isNew ? kind === 'timers' : rank !== null && rank < GUESSED)
    return by.length === 0 ? [] : [{ keptAt: { file: place.file, line: place.line + index, text: shortened(text) }, holder: isNew ? 'timers' : null }]
  })
  if (found.length > 0) return found.length === 1 ? found[0] : null
  // V8 may have inlined that function into its caller as well.
  const imported = importedFrom(place.file, packageOfPath(entry.file), files).map(escaped).join('|')
  if (imported === '' || !kept.some(({ kind }) => kind !== 'timers')) return null
  const calls = new RegExp(`(?<!new\\s+|[\\w$#.])(?:${imported})\\s*(?:\\.\\s*[\\w$]+\\s*)?\\(`)
  const lines = own.lines.flatMap(({ code, text }, index) => calls.test(code) ? [{ file: place.file, line: place.line + index, text: shortened(text) }] : [])
  return lines.length === 1 ? { keptAt: lines[0], holder: null } : null
}

/**
 * @param {string} file
 * @param {string | null} name  of a package
 * @param {Pick<SourceLines, 'read'>} files
 * @returns {string[]} what it is called, or its exports are, in that file
 */
function importedFrom (file, name, files) {
  if (name === null) return []
  const from = `['"]${escaped(name)}(?:/[^'"]*)?['"]`
  const text = files.read(file, 1, MAX_FILE_LINES).join('\n')
  const declared = [...text.matchAll(new RegExp(`\\b(?:(?:const|let|var)\\s+([\\w$]+|\\{[^}]*\\})\\s*=\\s*(?:\\w+\\()?require\\s*\\(\\s*${from}|import\\s+([^'"]+?)\\s+from\\s+${from})`, 'g'))]
  return declared.flatMap(([, required = '', imported = '']) => (required + imported).match(/[\w$]+(?=\s*(?:[,}]|$))/g) ?? [])
}

/**
 * The only line of a function that hands something over to what outlives its call: that probably keeps it. Only where no line is known to keep anything.
 * @param {readonly CodeFrame[]} chain  functions, innermost first
 * @param {Pick<SourceLines, 'read'>} source
 * @returns {{ keptAt: NonNullable<AllocationSite['keptAt']>, holder: null } | null} a guess
 */
function handedOverAt (chain, source) {
  const files = withFiles(source)
  const codes = chain.map(place => codeOf(place, files))
  for (const [at, code] of codes.entries()) {
    const scope = scopeOf(code, codes.slice(at + 1))
    const found = code.lines.flatMap(({ code: line, text }, index) => {
      const [, receiver, method] = HANDS_OVER.exec(line) ?? []
      if (receiver === undefined || KEEPS_NOTHING.test(method) || isBuiltin(receiver) || (/^[A-Z]/.test(receiver) && !scope.isOfModule(receiver.split('.')[0]))) return []
      const rank = rankOf(receiver, scope)
      return rank === null || rank >= GUESSED ? [] : [{ file: code.place.file, line: code.place.line + index, text: shortened(text), isGuess: true }]
    })
    if (found.length > 0) return found.length === 1 ? { keptAt: found[0], holder: null } : null
  }
  return null
}

/**
 * The only line of a file that adds to a collection which outlives the call, whatever function it is in: perhaps an error handler or a hook, which gets what
 * others allocate. Where there is none, the only one of the files that it requires by a relative path. Only where nothing better is known.
 * @param {string} file
 * @param {Pick<SourceLines, 'read'>} source
 * @returns {ReturnType<typeof keptLineOf>} a guess
 */
function onlyLineOf (file, source) {
  const files = withFiles(source)
  const own = keepingLinesOf(file, files)
  const found = own.length > 0 ? own : requiredBy(file, files).flatMap(required => keepingLinesOf(required, files))
  if (found.length !== 1) return null
  const [{ place, line, text, kind }] = found
  return { keptAt: { file: place, line, text: shortened(text), isGuess: true }, holder: kind === 'object' ? 'Map' : kind }
}

/**
 * @param {string} file
 * @param {Pick<SourceLines, 'read'>} files
 * @returns {(Line & { place: string })[]} that add to a collection which outlives the call
 */
function keepingLinesOf (file, files) {
  const texts = files.read(file, 1, MAX_FILE_LINES)
  if (texts.length > MAX_WRITTEN_LINES) return [] // a bundle
  const codes = texts.flatMap((text, index) => {
    const begins = COMMENT.test(text) ? [] : [...text.matchAll(BEGINS)].filter(([begin]) => !KEYWORD.test(/^[\w$]+/.exec(begin)?.[0] ?? ''))
    return begins.map(({ index: column }) => codeOf({ function: '', file, line: index + 1, column: column + 1 }, files))
  })
  const outerAt = (/** @type {number} */ line) => codes.findLast(({ place, lines }) => place.line < line && line < place.line + lines.length)
  const lines = new Map(codes.flatMap(code => linesThatKeep({ ...code, lines: withoutInner(code.lines) }, scopeOf(code, codes.filter(other => other !== code)), null)
    .filter(({ line, kind, rank }) => (line === code.place.line || outerAt(line) === code) && COLLECTIONS.has(kind) && RANKS[0].includes(rank)).map(one => [one.line, one])))
  return [...lines.values()].map(line => ({ ...line, place: file }))
}

/** Each line as far as a function that is written in it begins. @param {Code['lines']} lines */
function withoutInner (lines) {
  return lines.map(({ code, text }, at) => {
    const inner = [...code.matchAll(BEGINS)].find(({ 0: begin, index }) => (at > 0 || index > 0) && !KEYWORD.test(/^[\w$]+/.exec(begin)?.[0] ?? ''))
    return { code: inner === undefined ? code : code.slice(0, inner.index), text }
  })
}

/** @param {string} line */
function shortened (line) {
  const text = line.replace(/\p{Cc}+/gu, ' ').trim()
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT - 1)}…` : text
}

/** @param {string} kind @param {string | null} holder */
function isOfHolder (kind, holder) {
  return kind === holder || (holder === 'Map' && kind === 'object')
}

module.exports = { handedOverAt, keptByPackage, keptLineOf, madeAt, onlyLineOf, wrappedAt }
