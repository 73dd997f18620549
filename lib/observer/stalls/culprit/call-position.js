'use strict'

// The line and column at which the culprit was: its hottest line when it burned the time itself, else that of the call that took it. The
// samples have the one; for the other they know only where a function begins, and the stacks of the stall tell (matching-stacks.js), or
// what is written there. Pure: the lines of a file are given to it.

const { findCall, lengthOf, onlyLineOfLoop } = require('./call-in-source')
const { mostFrequent } = require('./matching-stacks')

/** @import { CallTree } from '../../../shared/formats/profile/call-tree' */
/** @import { Position } from './call-in-source' */
/** @import { Match } from './matching-stacks' */
/** @import { SourceLines } from './source-lines' */

const MAX_FUNCTION_LINES = 2000
const OWN_SHARE = 1 / 2 // of its time, for a function to be meant itself
const CALLED_SHARE = 1 / 2

/**
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
  const seen = mostFrequent(matches.map(({ call }) => call), keyOf)?.value
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
  return mostFrequent(there, keyOf)?.value.column
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
 * @param {CallTree['frame']} frame
 * @param {SourceLines} source
 * @returns {string[]} of the function and what follows it
 */
function linesFrom ({ file, line }, source) {
  return source.read(file, line, line + MAX_FUNCTION_LINES)
}

/**
 * @param {CallTree['frame']} frame  of a function that burns the time itself
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
function keyOf ({ line, column }) {
  return `${line}:${column}`
}

module.exports = { hottestLine, positionOf }
