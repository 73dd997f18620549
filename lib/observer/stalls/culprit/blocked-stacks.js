'use strict'

// Keeps the stacks that were read in the middle of stalls until the stall is explained. Each comes from the main thread
// (probe/blocked-stack.js) as one text.

const path = require('node:path')
const { pathToFileURL } = require('node:url')
const { OWN_FOLDER } = require('../../../base/own-files')
const { describeFile } = require('../../../formats/profile/frame')

/** @import { CallFrame } from '../../../../types/profile' */
/** @import { BlockedCall } from '../../../probe/blocked-stack' */

/**
 * @typedef {object} StackCall  a call that had not returned
 * @property {string} name      of the called function; '' where it has none
 * @property {string} receiver  the type of the object it was called on: 'ServerResponse', 'Array'; '' if unknown
 * @property {string} file      as in frames; '' for V8's builtins and for code without a file
 * @property {number} line      where it stood, from 1; 0 for builtins and Node's own code
 * @property {number} column
 * @property {number} functionLine    where the function begins
 * @property {number} functionColumn
 */

/** @typedef {StackCall[]} Stack  innermost first */

/** @typedef {{ atMicros: number, stack: Stack }} StackProbe  a stack probe; atMicros: when the main thread read it, which may be long after the request */

const KEPT = 64 // a stall has at most a dozen; they are read within seconds after it is over

/** @typedef {{ atMicros: number, calls: BlockedCall[] }} RawProbe  a stack probe as it was read */

/** @typedef {(frames: CallFrame[], maxMs: number) => Promise<CallFrame[]>} ToOriginal  positions in the original source */

/** @param {{ appRoot?: string }} [context] @param {ToOriginal} [toOriginal] */
function createBlockedStacks (context, toOriginal = async frames => frames) {
  /** Oldest first. @type {{ atMicros: number, calls: string }[]} */
  const kept = []

  /**
   * The stack probes of this time, as they were read.
   * @param {number} fromMicros
   * @param {number} toMicros
   * @returns {RawProbe[]}
   */
  function probesBetween (fromMicros, toMicros) {
    return kept
      .filter(({ atMicros }) => atMicros >= fromMicros && atMicros <= toMicros)
      .map(({ atMicros, calls }) => ({ atMicros, calls: withoutOwnCalls(JSON.parse(calls)) }))
      .filter(({ calls }) => calls.length > 0)
  }

  /** @param {{ calls: BlockedCall[] }[]} probes */
  const positionsOfProbes = probes => probes.flatMap(({ calls }) => calls).flatMap(positionsOf)

  return {
    probesBetween,
    positionsOf: positionsOfProbes,

    /** @param {{ atMicros: number, calls: string }} probe @returns {RawProbe} */
    read: ({ atMicros, calls }) => ({ atMicros, calls: withoutOwnCalls(JSON.parse(calls)) }),

    /** @param {{ atMicros: number, calls: string }} probe */
    add (probe) {
      kept.push(probe)
      if (kept.length > KEPT) kept.shift()
    },

    /**
     * @param {RawProbe[]} probes
     * @param {number} maxMs  to wait for source maps
     * @returns {Promise<StackProbe[]>} the same probes, in order
     */
    async toOriginal (probes, maxMs) {
      const original = await toOriginal(positionsOfProbes(probes), maxMs)
      let at = 0
      return probes.map(({ atMicros, calls }) => ({ atMicros, stack: calls.map(call => toStackCall(call, original[at++], original[at++], context)) }))
    }
  }
}

/** @param {BlockedCall[]} calls */
function withoutOwnCalls (calls) {
  // Above the first frame in a loopscope file are the calls with which the main thread read the stack.
  const own = calls.findIndex(([, , file]) => file.startsWith(OWN_FOLDER))
  return calls.slice(own + 1).filter(([, , file]) => !file.startsWith(OWN_FOLDER))
}

/**
 * @param {BlockedCall} call
 * @returns {[CallFrame, CallFrame]} where it stands and where its function begins, as in a profile
 */
function positionsOf ([name, , file, line, column, functionLine, functionColumn]) {
  const url = path.isAbsolute(file) ? pathToFileURL(file).href : file
  return [
    { functionName: '', scriptId: '', url, lineNumber: line - 1, columnNumber: column - 1 },
    { functionName: name, scriptId: '', url, lineNumber: functionLine - 1, columnNumber: functionColumn - 1 }
  ]
}

/**
 * @param {BlockedCall} call
 * @param {CallFrame} place
 * @param {CallFrame} beginning
 * @param {{ appRoot?: string }} [context]
 * @returns {StackCall}
 */
function toStackCall ([name, receiver], place, beginning, context) {
  return {
    name,
    receiver,
    file: describeFile(place.url, context),
    line: place.lineNumber + 1,
    column: place.columnNumber + 1,
    functionLine: beginning.lineNumber + 1,
    functionColumn: beginning.columnNumber + 1
  }
}

/** Whether the call is of one of V8's builtins: JSON.stringify, Array.sort. @param {StackCall} call */
function isBuiltin ({ file, line }) {
  return file === '' && line === 0
}

module.exports = { createBlockedStacks, isBuiltin }
