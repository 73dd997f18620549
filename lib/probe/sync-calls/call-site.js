'use strict'

// Where a call comes from: the first frame on the stack that is not Node's own, and its position in the original source. The stack is captured
// during the call and read later.

const { findSourceMap } = require('node:module')
const { captureStack, fileOf, placeOf, readStacks } = require('../call-sites')
const { LOADER, OWN_FOLDER, OWN_PACKAGES, WRAPPER_NAME } = require('../../base/own-files')

/** @import { CallFrame } from '../../../types/profile' */
/** @import { CallPlace, CapturedStack } from '../call-sites' */
/** @import { SiteTable } from './site-table' */
/** @import { Target } from './targets' */

/**
 * @typedef {object} PendingCall
 * @property {SiteTable} table  the table to add it to
 * @property {Target} target
 * @property {CapturedStack | null} stack
 * @property {number} weight    number of calls that it stands for
 * @property {number} ms
 * @property {string | null} route
 */

/** @typedef {(frames: CallFrame[]) => Promise<(CallFrame | null)[]>} ToOriginal  null: not available yet */

const BATCH = 32 // stacks: reading them takes 0.1 ms
const DEPTH = 40 // require() inside a function adds about ten frames of Node's

/** @type {Readonly<CallPlace>} */
const UNKNOWN = Object.freeze({ function: '', file: '', line: 0, column: 0 })

/**
 * @param {Function} callee  on the stack now; its callers are captured
 * @returns {CapturedStack | null} null where V8 gives no stack, with --frozen-intrinsics
 */
function captureCall (callee) {
  return captureStack(callee, DEPTH)
}

/**
 * @param {readonly (CapturedStack | null)[]} stacks
 * @returns {(CallPlace | null)[]} of each; null for loopscope's own call
 */
function placesOf (stacks) {
  return readStacks(stacks).map(callerIn)
}

/** @param {NodeJS.CallSite[]} frames @returns {CallPlace | null} */
function callerIn (frames) {
  try {
    const caller = frames.find(isCaller) ?? frames[0]
    if (caller === undefined) return UNKNOWN
    const isLoopscope = isOwn(caller) || frames.some((frame, index) => index > 0 && isOwn(frame) && isUsedByLoopscope(frames[index - 1]))
    return isLoopscope ? null : placeOf(caller)
  } catch {
    return UNKNOWN // the rest of the batch is still read
  }
}

/** @param {NodeJS.CallSite} frame */
function isOwn (frame) {
  return fileOf(frame).startsWith(OWN_FOLDER) && frame.getFunctionName() !== WRAPPER_NAME
}

/**
 * A module that loopscope loads, a package that it uses: their calls are loopscope's.
 * @param {NodeJS.CallSite} callee  the callee of a function of loopscope
 */
function isUsedByLoopscope (callee) {
  const file = fileOf(callee)
  return LOADER.test(file) || OWN_PACKAGES.test(file)
}

/** @param {NodeJS.CallSite} frame */
function isCaller (frame) {
  const file = fileOf(frame)
  return file !== '' && !file.startsWith('node:')
}

/**
 * Calls whose stacks are captured and still to be read. Reading one stack at a time runs cold: 10 to 40 us each, against 3 us in a batch. So they
 * wait for each other; settle() reads what is left, at least once a second.
 */
class PendingStacks {
  /** @type {PendingCall[]} */
  #calls = []

  /** @param {PendingCall} call */
  add (call) {
    this.#calls.push(call)
    if (this.#calls.length === BATCH) this.settle()
  }

  /** Reads the stacks, and adds the calls to their tables. */
  settle () {
    if (this.#calls.length === 0) return
    const calls = this.#calls
    this.#calls = []
    const places = placesOf(calls.map(({ stack }) => stack))
    for (const [index, { table, target, weight, ms, route }] of calls.entries()) {
      const place = places[index]
      if (place !== null) table.add(target, place, weight, ms, route)
    }
  }
}

/**
 * Maps positions in the running code to those in the original source. Each is requested from the observer once: source maps are not read on the main
 * thread. For what it does not have, Node may have a map: of code compiled as it was loaded, with `node --enable-source-maps` or
 * process.setSourceMapsEnabled(true).
 * @param {ToOriginal} [toOriginal]  queries the observer
 */
function createOriginalPlaces (toOriginal = async frames => frames) {
  /** Requested positions; null where the observer has no map. @type {Map<CallPlace, CallPlace | null>} */
  const known = new Map()
  let isAsking = false

  return {
    /**
     * @param {CallPlace} place
     * @returns {CallPlace} the same place without a map, without an entry in it, or before the observer has replied
     */
    of: place => known.get(place) ?? ofNode(place),

    /**
     * @param {readonly CallPlace[]} places  as many as there are call sites: they are bounded
     * @returns {Promise<void>} rejects without an observer: they are requested again later
     */
    async learn (places) {
      const asked = places.filter(place => place.line > 0 && !known.has(place))
      if (isAsking || asked.length === 0) return
      isAsking = true
      try {
        const frames = asked.map(place => ({ functionName: place.function, scriptId: '0', url: place.file, lineNumber: place.line - 1, columnNumber: place.column - 1 }))
        const original = await toOriginal(frames)
        for (const [index, place] of asked.entries()) {
          const frame = original[index]
          if (frame !== null) known.set(place, toPlace(frames[index], frame)) // otherwise it is requested again
        }
      } finally {
        isAsking = false
      }
    }
  }
}

/** @param {CallFrame} frame @param {CallFrame} original @returns {CallPlace | null} null where they are the same */
function toPlace (frame, { functionName, url, lineNumber, columnNumber }) {
  if (url === frame.url && lineNumber === frame.lineNumber && columnNumber === frame.columnNumber) return null
  return { function: functionName || '(anonymous)', file: url, line: lineNumber + 1, column: columnNumber + 1 }
}

/** @param {CallPlace} place @returns {CallPlace} */
function ofNode (place) {
  try {
    const entry = /** @type {any} */ (findSourceMap(place.file)?.findEntry(place.line - 1, place.column - 1))
    if (entry?.originalSource === undefined) return place
    return { function: place.function, file: entry.originalSource, line: entry.originalLine + 1, column: entry.originalColumn + 1 }
  } catch {
    return place // a broken map: the generated position is shown
  }
}

module.exports = { PendingStacks, captureCall, createOriginalPlaces }
