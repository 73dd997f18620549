'use strict'

// One object for each function of several processes. Functions are the same by name, file and position: the scripts of each process are
// numbered by itself, so here they are numbered anew, by file. Pure.

/** @import { CallFrame } from '../../../../types/profile' */

const NO_SCRIPT = '0' // V8's for native functions

/** @returns {(callFrame: CallFrame) => CallFrame} */
function createMergedFrames () {
  /** @type {Map<string, CallFrame>} */
  const frames = new Map()
  /** @type {Map<string, string>} */
  const scripts = new Map()
  return ({ functionName, scriptId, url, lineNumber, columnNumber }) => {
    const isNative = Number(scriptId) === Number(NO_SCRIPT)
    const key = `${functionName}\0${url}\0${lineNumber}:${columnNumber}:${isNative}`
    const known = frames.get(key)
    if (known !== undefined) return known
    if (!isNative && !scripts.has(url)) scripts.set(url, String(scripts.size + 1))
    const script = isNative ? NO_SCRIPT : /** @type {string} */ (scripts.get(url))
    const frame = { functionName, scriptId: script, url, lineNumber, columnNumber }
    frames.set(key, frame)
    return frame
  }
}

/** @type {CallFrame} */
const ROOT = Object.freeze({ functionName: '(root)', scriptId: NO_SCRIPT, url: '', lineNumber: -1, columnNumber: -1 })

module.exports = { ROOT, createMergedFrames }
