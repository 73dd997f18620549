'use strict'

// The stacks that were read in the middle of stalls, kept until the stall that they belong to is explained. They come from the main
// thread (main/stalls/blocked-stack.js) as one text.

const { OWN_FOLDER } = require('../../../shared/base/own-files')
const { describeFile } = require('../../../shared/formats/profile/frame')

/** @import { BlockedCall } from '../../../main/stalls/blocked-stack' */

/**
 * @typedef {object} StackCall  a call that had not returned
 * @property {string} name      of the function that had been called; '' where it has none
 * @property {string} receiver  what kind of object it was called on: 'ServerResponse', 'Array'; '' where that is not known
 * @property {string} file      as of frames; '' of V8's builtins and of code without a file
 * @property {number} line      where it stood, from 1; 0 of builtins and of Node's own
 * @property {number} column
 * @property {number} functionLine    where the function begins
 * @property {number} functionColumn
 */

/** @typedef {StackCall[]} Stack  innermost first */

const KEPT = 64 // a stall has at most a dozen; those of one that is over are asked for within seconds

/** @param {{ appRoot?: string }} [context] */
function createBlockedStacks (context) {
  /** Oldest first. @type {{ atMicros: number, calls: string }[]} */
  const kept = []
  return {
    /** @param {{ atMicros: number, calls: string }} look */
    add (look) {
      kept.push(look)
      if (kept.length > KEPT) kept.shift()
    },

    /**
     * @param {number} fromMicros
     * @param {number} toMicros
     * @returns {Stack[]}
     */
    between: (fromMicros, toMicros) => kept
      .filter(({ atMicros }) => atMicros >= fromMicros && atMicros <= toMicros)
      .map(({ calls }) => toStack(calls, context))
      .filter(stack => stack.length > 0)
  }
}

/**
 * @param {string} text
 * @param {{ appRoot?: string }} [context]
 * @returns {Stack}
 */
function toStack (text, context) {
  /** @type {BlockedCall[]} */
  const calls = JSON.parse(text)
  // Above the first frame that this thread gave its name stands what the main thread did to read the stack.
  const ours = calls.findIndex(([, , file]) => file.startsWith(OWN_FOLDER))
  return calls.slice(ours + 1)
    .filter(([, , file]) => !file.startsWith(OWN_FOLDER))
    .map(([name, receiver, file, line, column, functionLine, functionColumn]) =>
      ({ name, receiver, file: describeFile(file, context), line, column, functionLine, functionColumn }))
}

/**
 * V8's own: JSON.stringify, Array.sort.
 * @param {StackCall} call
 */
function isBuiltin ({ file, line }) {
  return file === '' && line === 0
}

module.exports = { createBlockedStacks, isBuiltin }
