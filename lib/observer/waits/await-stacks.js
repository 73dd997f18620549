'use strict'

// Reads the stack of a wait: which function of the application waits, at which line, which of its functions called it, and what it awaits: a package,
// or a module of Node.js.

const path = require('node:path')
const { pathToFileURL } = require('node:url')
const { OWN_FOLDER } = require('../../base/own-files')
const { describeFrame, packageOf } = require('../../formats/profile/frame')

/** @import { CallFrame } from '../../../types/profile' */
/** @import { WaitPlace } from '../../../types/waits' */
/** @import { AwaitFrame } from '../../probe/waits/await-sample' */

/**
 * @typedef {{ key: string, place: WaitPlace }} AppFrame  key: of the function, wherever it stands
 *
 * @typedef {object} AwaitStack
 * @property {AppFrame[]} app       functions of the application, innermost first
 * @property {boolean} isAwait      the innermost of them awaits by itself: the call above it is no library's
 * @property {boolean} isThen       likewise, with then()
 * @property {boolean} isCombined   the promise is one of Promise.all() or allSettled()
 * @property {boolean} isOfSeveral  likewise, or of any() or race()
 * @property {boolean} isInternal   a wait of V8's own, for one of the promises of Promise.all() and the like
 * @property {string | null} makerKey  the innermost function that is not Node's, if it is the application's
 * @property {string | null} awaited  package or module above the application's innermost function
 * @property {string | null} via    the package that the application called, where it is another
 */

const THEN = new Set(['then', 'catch', 'finally'])
const COMBINATORS = new Set(['all', 'allSettled', 'any', 'race'])
const WAITS_FOR_ALL = new Set(['all', 'allSettled'])

/**
 * @param {AwaitFrame[]} frames
 * @returns {CallFrame[]} positions to be mapped: of each frame where it stands, and where its function begins
 */
function placesOf (frames) {
  return frames.flatMap(([name, file, line, column, functionLine, functionColumn]) => {
    const url = path.isAbsolute(file) ? pathToFileURL(file).href : file
    return [
      { functionName: '', scriptId: '', url, lineNumber: line - 1, columnNumber: column - 1 },
      { functionName: name, scriptId: '', url, lineNumber: functionLine - 1, columnNumber: functionColumn - 1 }
    ]
  })
}

/**
 * @param {AwaitFrame[]} all
 * @param {object} context
 * @param {string} context.appRoot
 * @param {(frames: CallFrame[]) => CallFrame[]} context.toOriginal
 * @returns {AwaitStack}
 */
function readAwaitStack (all, { appRoot, toOriginal }) {
  const frames = withoutHooks(all)
  const original = toOriginal(placesOf(frames))
  const read = frames.map(([name, file, line, , functionLine, functionColumn], index) => {
    const place = describeFrame(original[2 * index], { appRoot })
    const begin = describeFrame(original[2 * index + 1], { appRoot })
    return { name, file, origin: file === '' ? 'native' : place.origin, shown: place.file, line, key: `${file}:${functionLine}:${functionColumn}`, place: { function: begin.name, file: place.file, line: place.line, column: place.column } }
  })
  const isNative = (/** @type {number} */ index, /** @type {Set<string>} */ names) => read[index]?.origin === 'native' && names.has(read[index].name)
  const first = read.findIndex(({ origin }) => origin === 'app')
  const above = first === -1 ? read : read.slice(0, first)
  const packages = above.filter(({ origin }) => origin === 'dependency').map(({ shown }) => packageOf(shown))
  const maker = read.find(({ origin }) => origin !== 'native' && origin !== 'node')
  const [awaited = moduleOf(above.findLast(({ origin }) => origin === 'node'))] = packages
  const via = packages.at(-1) ?? null
  return {
    app: read.filter(({ origin }) => origin === 'app').map(({ key, place }) => ({ key, place })),
    isAwait: first === 0,
    isThen: first === 1 && isNative(0, THEN),
    isCombined: isNative(0, WAITS_FOR_ALL),
    isOfSeveral: isNative(0, COMBINATORS),
    isInternal: isNative(0, THEN) && isNative(1, COMBINATORS),
    makerKey: maker?.origin === 'app' ? maker.key : null,
    awaited: isNative(0, WAITS_FOR_ALL) ? `Promise.${read[0].name}` : awaited,
    via: via === awaited ? null : via
  }
}

/**
 * Without the frames that call the hook (several hooks are called by Node.js), and those of loopscope itself.
 * @param {AwaitFrame[]} frames
 */
function withoutHooks (frames) {
  const begin = frames.findIndex(([, file]) => !/^node:internal\/(promise_hooks|async_hooks)/.test(file))
  return frames.slice(Math.max(0, begin)).filter(([, file]) => !file.startsWith(OWN_FOLDER) && !file.startsWith(`file://${OWN_FOLDER}`))
}

/** @param {{ name: string, file: string } | undefined} frame  of Node.js */
function moduleOf (frame) {
  if (frame === undefined) return null
  const name = frame.file.replace(/^node:/, '').replace(/^internal\//, '')
  if (/^(process|modules|async_hooks|promise_hooks|async_local_storage)\b/.test(name)) return null
  // What is a global, like fetch(), has the name of its function.
  return name.startsWith('bootstrap/') ? frame.name : `node:${name}`
}

module.exports = { placesOf, readAwaitStack }
