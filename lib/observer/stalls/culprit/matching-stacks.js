'use strict'

// What the stacks that were read in the middle of a stall add to its samples. Samples show which function it was; a stack was read at a
// moment that V8 chose, and may show something else: only those that hold the same function count. They give a call that V8 compiled
// into its caller its time back, and the culprit the line and column at which it was. Pure: the lines of a file are given to it.

const { describeFrame } = require('../../../formats/profile/frame')
const { isBuiltin } = require('./blocked-stacks')
const { findCall, lengthOf, onlyLineOfLoop } = require('./call-in-source')

/** @import { CallTree } from '../../../formats/profile/call-tree' */
/** @import { Frame } from '../../../formats/profile/frame' */
/** @import { Stack, StackCall } from './blocked-stacks' */
/** @import { Position } from './call-in-source' */
/** @import { SourceLines } from './source-lines' */

// A stack says where a function's text begins (`function`), a profile where its parameters do: between them are keywords and its name.
const MAX_KEYWORDS = 'async function * '.length + 4
const MAX_FUNCTION_LINES = 2000
const MAX_INLINED = 10 // one into the other
const MAX_INSIDES = 4 // of one stack
const INLINED_SHARE = 1 / 2 // of the stacks that have the caller, and of its time
const OWN_SHARE = 1 / 2 // of its time, for a function to be meant itself
const CALLED_SHARE = 1 / 2

/**
 * @typedef {object} Match
 * @property {StackCall} call  of the function
 * @property {Stack} inner     what it had called, innermost first
 * @property {number} agreed   how many of the path's frames below it the stack has, too, without a gap
 */

/**
 * @typedef {object} Inlined
 * @property {StackCall} callee
 * @property {Set<number>} callLines  of the caller
 * @property {StackCall[]} insides    it and what it had called, as far as they were at work and not only about to begin
 */

/**
 * The stacks that hold a function of the path.
 * @param {Stack[]} stacks
 * @param {CallTree[]} path
 * @param {number} depth  of the function on the path
 * @returns {Match[]} those that agree best with the path below the function
 */
function matchStacks (stacks, path, depth) {
  const below = path.slice(depth + 1).map(({ frame }) => frame).filter(hasFile)
  const matches = stacks.flatMap(stack => bestOf(stack, path[depth].frame, below) ?? [])
  // A native call is interrupted when it has returned, and by then the function may be on its next line.
  const agreeing = matches.filter(({ agreed }) => agreed > 0)
  return agreeing.length > 0 ? agreeing : matches
}

/**
 * A function that calls itself is on the stack more than once.
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

/**
 * @param {Frame} frame
 * @param {StackCall} call
 */
function isSame (frame, call) {
  if (frame.file !== call.file || isBuiltin(call)) return false
  // Node's own come without places.
  if (frame.origin === 'node') return frame.name === (call.name || '(anonymous)')
  return isAtParameters(frame, call)
}

/**
 * V8 also interrupts a function before it has done anything, where its parameters begin: what took the time was before it was called.
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

/** @param {Frame} frame */
function hasFile ({ file }) {
  return file !== ''
}

/**
 * The way through a call tree that most of the time went: from the root's heaviest child down, always into the heaviest one, while something
 * below is heavier than the node itself.
 * @param {CallTree} root
 * @returns {CallTree[]} outermost first; none where no code ran
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
 * What V8 compiled into its caller has no frame in the samples: its time is the caller's own, with lines of the callee's or with that of
 * the call; below Node's own functions (process.nextTick, emit) an application may be missing altogether. The stacks have such calls: where
 * they show one, and the lines of the samples do not say otherwise, the time is given to it.
 * @param {CallTree} root  is changed
 * @param {Stack[]} stacks
 * @param {SourceLines} source
 * @returns {CallTree} the same
 */
function withInlinedCalls (root, stacks, source) {
  for (let left = MAX_INLINED; left > 0; left--) {
    const path = heaviestPath(root)
    const inlined = path.length === 0 ? null : inlinedCall(path, stacks)
    if (inlined === null || !giveTime(path, inlined, frameOf(root, inlined.callee), source)) break
  }
  return root
}

/**
 * @param {CallTree[]} path
 * @param {Stack[]} stacks
 * @returns {Inlined | null} what most stacks saw below the function that the samples end with
 */
function inlinedCall (path, stacks) {
  const matches = matchStacks(stacks, path, path.length - 1)
  const calls = matches.flatMap(({ call, inner }) => {
    const at = inner.findLastIndex(isOfSomebody)
    const insides = inner.slice(0, at + 1).filter((one, index) => isOfSomebody(one) && (index > 0 || one.line !== one.functionLine))
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
 * @returns {boolean} whether it was the callee's
 */
function giveTime (path, inlined, frame, source) {
  const caller = path[path.length - 1]
  const lines = [...caller.lines].filter(([line]) => isOfCallee(line, caller.frame, inlined, source))
  const share = caller.frame.origin === 'node' || caller.lines.size === 0 ? 1 : sum(lines) / sum([...caller.lines])
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
 * A line of a profile has no file. One that both functions have may be where the caller made a native call, which no sample has a frame
 * of either and after which the stack was read: then the callee had only begun.
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
 * @returns {Frame} the one that samples saw, if any did
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

/**
 * @param {CallTree} parent
 * @param {Frame} frame
 */
function childOf (parent, frame) {
  const known = parent.children.find(child => child.frame === frame)
  if (known !== undefined) return known
  const child = { frame, selfMicros: 0, totalMicros: 0, selfSamples: 0, children: [], lines: new Map(), routes: new Map(), processes: new Map() }
  parent.children.push(child)
  return child
}

/** @param {StackCall} call */
function isOfSomebody ({ file, functionLine }) {
  return file !== '' && !/^(?:node|wasm):/.test(file) && functionLine > 0
}

/** @param {[number, number][]} lines */
function sum (lines) {
  return lines.reduce((all, [, micros]) => all + micros, 0)
}

/**
 * The line and column at which the culprit was: its hottest line when it burned the time itself, else that of the call that took it. The
 * samples have the one; for the other they have only where a function begins, and the stacks show it, or what is written there.
 * @param {CallTree[]} path
 * @param {number} depth     of the culprit
 * @param {Match[]} matches  of the culprit
 * @param {SourceLines} source
 * @returns {Position} where the function begins when nothing is known
 */
function positionOf (path, depth, matches, source) {
  const { frame } = path[depth]
  const line = hottestLine(path[depth], source)
  if (line !== null) return workOf(frame, line, source) ?? { line, column: columnOn(line, matches) ?? (line === frame.line ? frame.column : 0) }
  const seen = mostFrequent(matches.map(({ call }) => call), positionKey)?.value
  if (matches.some(({ agreed }) => agreed > 0)) return toPosition(seen ?? frame)
  const work = seen !== undefined && isBusyItself(path[depth]) ? workOf(frame, seen.line, source) : null
  return writtenCall(path, depth, source, seen) ?? work ?? toPosition(seen ?? callbackIn(path, depth, source) ?? frame)
}

/**
 * What V8 inlines from another file it counts under the caller, with the other file's lines: those that the caller cannot have are left
 * out.
 * @param {CallTree} tree
 * @param {Pick<SourceLines, 'count'>} source
 * @returns {number | null} where the samples found it, when most of its time is its own and V8 told the lines
 */
function hottestLine (tree, source) {
  if (!isBusyItself(tree)) return null
  const { frame, lines } = tree
  const last = source.count(frame.file) ?? Infinity
  const own = [...lines].filter(([line]) => line >= frame.line && line <= last)
  return own.sort(([, left], [, right]) => right - left)[0]?.[0] ?? null
}

/** @param {CallTree} tree */
function isBusyItself ({ selfMicros, totalMicros }) {
  return selfMicros >= totalMicros * OWN_SHARE
}

/**
 * @param {number} line
 * @param {Match[]} matches
 */
function columnOn (line, matches) {
  const there = matches.map(({ call }) => call).filter(call => call.line === line)
  return mostFrequent(there, positionKey)?.value.column
}

/**
 * @param {CallTree[]} path
 * @param {number} depth
 * @param {SourceLines} source
 * @param {Position} [later]  where the function was after the call
 */
function writtenCall (path, depth, source, later) {
  const { frame, totalMicros } = path[depth]
  const called = path[depth + 1]
  if (frame.file === '' || called === undefined || called.totalMicros < totalMicros * CALLED_SHARE) return null
  return findCall(linesFrom(frame, source), frame, writtenName(called.frame.name), later)
}

/**
 * A comparator or callback without a name that is written in the function stands in the call that takes the time, or close below it.
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
 * @returns {string[]} of the function and what follows it
 */
function linesFrom ({ file, line }, source) {
  return source.read(file, line, line + MAX_FUNCTION_LINES)
}

/**
 * @param {Frame} frame  of a function that burns the time itself
 * @param {number} line  on which it was seen
 * @param {SourceLines} source
 * @returns {Position | null}
 */
function workOf ({ file }, line, source) {
  const work = file === '' ? null : onlyLineOfLoop(source.read(file, line, line + 2))
  return work && { line: line + work.line, column: work.column }
}

/**
 * As a regular expression: all of zlib's synchronous functions are one inside.
 * @param {string} name
 */
function writtenName (name) {
  if (name === 'syncBufferWrapper') return '\\w+Sync'
  return name.replace(/.*\./, '').replaceAll(/\W/g, '\\$&')
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
 * What comes most often; of equals the first.
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

module.exports = { hasNotBegun, heaviestPath, hottestLine, isSame, matchStacks, mostFrequent, positionOf, withInlinedCalls }
