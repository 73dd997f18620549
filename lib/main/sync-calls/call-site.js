'use strict'

// Where a call comes from: the first frame on the stack that is not Node's own. The stack is captured during the call and read later
// (drawn-calls.js).

const { captureStack, readStacks } = require('../../shared/base/call-sites')
const { LOADER, OWN_FOLDER, OWN_PACKAGES, WRAPPER_NAME } = require('../../shared/base/own-files')

/** @import { CapturedStack } from '../../shared/base/call-sites' */

/**
 * @typedef {object} Place  as V8 knows it, before source maps; line and column from 1, 0 where there is none
 * @property {string} function
 * @property {string} file    a path or a URL; for code made by eval, where it was made
 * @property {number} line
 * @property {number} column
 */

const DEPTH = 40 // require() inside a function puts some ten frames of Node's between
const MAX_FUNCTION_LENGTH = 80
const MAX_FILE_LENGTH = 300

/** @type {Readonly<Place>} */
const UNKNOWN = Object.freeze({ function: '', file: '', line: 0, column: 0 })

/**
 * @param {Function} callee  on the stack now; its callers are wanted
 * @returns {CapturedStack | null} null where V8 does not tell, with --frozen-intrinsics
 */
function captureCall (callee) {
  return captureStack(callee, DEPTH)
}

/**
 * @param {readonly (CapturedStack | null)[]} stacks
 * @returns {(Place | null)[]} of each; null for a call of our own
 */
function placesOf (stacks) {
  return readStacks(stacks).map(placeOf)
}

/**
 * @param {NodeJS.CallSite[]} frames
 * @returns {Place | null}
 */
function placeOf (frames) {
  try {
    const caller = frames.find(isCaller) ?? frames[0]
    if (caller === undefined) return UNKNOWN
    const isOurs = isOwn(caller) || frames.some((frame, index) => index > 0 && isOwn(frame) && worksForUs(frames[index - 1]))
    return isOurs ? null : describe(caller)
  } catch {
    return UNKNOWN // the others of its batch are read
  }
}

/** @param {NodeJS.CallSite} frame */
function isOwn (frame) {
  return fileOf(frame).startsWith(OWN_FOLDER) && frame.getFunctionName() !== WRAPPER_NAME
}

/**
 * A module that we load, a package that we use: whatever that calls is for us.
 * @param {NodeJS.CallSite} callee  of a function of loopscope
 */
function worksForUs (callee) {
  const file = fileOf(callee)
  return LOADER.test(file) || OWN_PACKAGES.test(file)
}

/** @param {NodeJS.CallSite} frame */
function isCaller (frame) {
  const file = fileOf(frame)
  return file !== '' && !file.startsWith('node:')
}

/** @param {NodeJS.CallSite} frame */
function fileOf (frame) {
  return frame.getFileName() ?? (frame.isEval() ? frame.getEvalOrigin() : undefined) ?? ''
}

/**
 * @param {NodeJS.CallSite} frame
 * @returns {Place}
 */
function describe (frame) {
  return {
    function: bound(frame.getFunctionName() ?? '', MAX_FUNCTION_LENGTH) || '(anonymous)',
    file: bound(fileOf(frame), MAX_FILE_LENGTH),
    line: frame.getLineNumber() ?? 0,
    column: frame.getColumnNumber() ?? 0
  }
}

/**
 * @param {string} text
 * @param {number} maxLength
 */
function bound (text, maxLength) {
  // A slice alone would keep the whole text alive.
  return text.length <= maxLength ? text : Buffer.from(text.slice(0, maxLength)).toString()
}

module.exports = { captureCall, placesOf }
