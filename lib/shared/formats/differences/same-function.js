'use strict'

// Which function of one recording is which of another, though lines have moved between the two: the code was changed, and measured
// again. Pure.

/** @import { Frame } from '../profile/frame' */

/**
 * By name and file, where neither recording has two of them; else its line and column tell it.
 * @param {Iterable<Frame>} before
 * @param {Iterable<Frame>} after
 * @returns {(frame: Frame) => string} the same for the same function
 */
function createFunctionKey (before, after) {
  const ambiguous = new Set([before, after].flatMap(frames => [...namedTwice(frames)]))
  return frame => ambiguous.has(nameOf(frame)) ? positionOf(frame) : nameOf(frame)
}

/** @param {Iterable<Frame>} frames */
function namedTwice (frames) {
  /** @type {Map<string, string>} */
  const positions = new Map()
  /** @type {Set<string>} */
  const found = new Set()
  for (const frame of frames) {
    const [name, position] = [nameOf(frame), positionOf(frame)]
    if ((positions.get(name) ?? position) !== position) found.add(name)
    positions.set(name, position)
  }
  return found
}

/** @param {Frame} frame */
function nameOf ({ name, file }) {
  return `${name}\0${file}`
}

/** @param {Frame} frame */
function positionOf ({ name, file, line, column }) {
  return `${name}\0${file}\0${line}:${column}`
}

module.exports = { createFunctionKey }
