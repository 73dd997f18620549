'use strict'

// What the stacks that were read in the middle of a stall tell about one function on the samples' heaviest path. Samples say who it was;
// a stack was read at a moment that V8 chose, and may show something else: only those that hold the same function count. Pure.

const { isBuiltin } = require('./blocked-stacks')

/** @import { CallTree } from '../../../shared/formats/profile/call-tree' */
/** @import { Frame } from '../../../shared/formats/profile/frame' */
/** @import { Stack, StackCall } from './blocked-stacks' */

// A stack says where a function's text begins (`function`), a profile where its parameters do: between them are keywords and its name.
const MAX_KEYWORDS = 'async function * '.length + 4

/**
 * @typedef {object} Match
 * @property {StackCall} call  of the function
 * @property {Stack} inner     what it had called, innermost first
 * @property {number} agreed   how many of the path's frames below it the stack has, too, without a gap
 */

/**
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

module.exports = { hasNotBegun, isSame, matchStacks, mostFrequent }
