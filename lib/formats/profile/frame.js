'use strict'

// Describes a V8 call frame: its position, counted from 1 and relative to the application, and the origin of its code.

const { URL } = require('../../base/globals')
const { attempt } = require('../../base/guard')
const { createWorkLineOf } = require('./work-lines')

/** @import { CodeFrame } from '../../../types/diagnostics' */
/** @import { CallFrame, EncodeContext, WorkLine } from '../../../types/profile' */

/**
 * @typedef {'app' | 'dependency' | 'wasm' | 'node' | 'native' | 'meta'} Origin
 *
 * @typedef {object} Frame
 * @property {string} name
 * @property {string} file    relative to the application where it lies below it; of a package above it from node_modules on; '' where V8 knows none
 * @property {number} line    from 1; 0 where V8 knows none. The line on which the function begins
 * @property {number} column  from 1; 0 where V8 knows none
 * @property {Origin} origin
 * @property {Pick<WorkLine, 'line' | 'column'>} [work]  where it was at work, if that is known
 */

// loopscope's name for what libuv does between JavaScript, as observer/recorder/thread-cpu.js finds it in idle samples.
const LOOP_IO = '(event loop I/O)'
// V8 names a compiled regular expression after its source, wherever it runs.
const EXPRESSION = 'RegExp: '
const META_NAMES = new Set(['(root)', '(program)', '(idle)', '(garbage collector)', LOOP_IO])

// V8 gives native functions the script 0; code made by eval or new Function has a script and no url.
const NO_SCRIPT = 0

/** V8 records no more of a stack. What others write may be deeper. */
const MAX_STACK_FRAMES = 255

// What V8 puts between JavaScript and WebAssembly, in some versions without a script; its names differ: js-to-wasm, GenericJSToWasmWrapper.
const WASM_WRAPPER = /js-?to-?wasm|wasm-?to-?js/i

// The end of a path such as `/srv/shop/.output/server/` or `/srv/shop/.next/standalone/`.
const BUILD_FOLDER = /\/\.[^./][^/]*\/(?:[^/]+\/)?$/

// Source code has no longer lines: a column further right is in a bundle, where the line alone does not identify the position.
const MAX_WRITTEN_COLUMN = 200

/** @param {CallFrame} callFrame @param {Pick<EncodeContext, 'appRoot'>} [context] @returns {Frame} */
function describeFrame (callFrame, context) {
  const file = describeFile(callFrame.url, context)
  return {
    name: callFrame.functionName || '(anonymous)',
    file,
    line: callFrame.lineNumber + 1,
    column: callFrame.columnNumber + 1,
    origin: originOf(callFrame, file)
  }
}

/**
 * One object for each function, so that frames compare with ===.
 * @param {Pick<EncodeContext, 'appRoot' | 'lines'>} context
 * @returns {(callFrame: CallFrame) => Frame}
 */
function createFrameOf (context) {
  /** @type {Map<string, Frame>} */
  const frames = new Map()
  const workLineOf = createWorkLineOf(context.lines)
  return callFrame => {
    // Without a url only the script distinguishes two functions; with one, the same file may have been loaded twice.
    const script = callFrame.url === '' ? callFrame.scriptId : callFrame.url
    const key = [script, callFrame.lineNumber, callFrame.columnNumber, callFrame.functionName].join('\0')
    const known = frames.get(key)
    if (known !== undefined) return known
    const begins = describeFrame(callFrame, context)
    const work = workLineOf(begins)
    const frame = work === null ? begins : { ...begins, work }
    frames.set(key, frame)
    return frame
  }
}

/**
 * @param {string} place  path or URL
 * @param {Pick<EncodeContext, 'appRoot'>} [context]
 */
function describeFile (place, { appRoot = '' } = {}) {
  return relativeTo(toPath(appRoot), toPath(place))
}

/** @param {CallFrame} callFrame @param {string} file @returns {Origin} */
function originOf ({ functionName, scriptId, url }, file) {
  if (url === '' && META_NAMES.has(functionName)) return 'meta'
  if (url === '' && Number(scriptId) === NO_SCRIPT) return WASM_WRAPPER.test(functionName) ? 'wasm' : 'native'
  if (url.startsWith('wasm:')) return 'wasm'
  if (url.startsWith('node:')) return 'node'
  // The path below the application decides: an application installed globally itself lies in a node_modules.
  return isInPackage(file) ? 'dependency' : 'app'
}

/** @param {string} file  relative to the application */
function isInPackage (file) {
  return /(^|\/)node_modules\//.test(file)
}

/**
 * A file: URL or a path of either system as a path with forward slashes; anything else as it came.
 * @param {string} place
 */
function toPath (place) {
  if (place.startsWith('file:')) return fromFileUrl(place)
  // The source itself would follow.
  if (place.startsWith('data:')) return 'data:'
  return /^([a-z]:)?\\/i.test(place) ? place.replaceAll('\\', '/') : place
}

/** Not url.fileURLToPath: that one refuses the other system's URLs, and profiles travel. @param {string} url */
function fromFileUrl (url) {
  if (!URL.canParse(url)) return url
  const { host, pathname } = new URL(url)
  const path = attempt(() => decodeURIComponent(pathname), pathname).replace(/^\/([a-z]:)/i, '$1')
  return host === '' ? path : `//${host}${path}`
}

/**
 * A package in a node_modules folder above the application, as in a monorepo, is shown as if it were in the application's own; so are the sources of
 * an application that a build tool wrote into a hidden folder of the project, such as `.output/server`.
 * @param {string} root
 * @param {string} path
 */
function relativeTo (root, path) {
  const folder = root.replace(/\/*$/, '/')
  if (folder === '/') return path
  const ignoreCase = /^[a-z]:/i.test(folder) || folder.startsWith('//')
  const isIn = (/** @type {string} */ inner, /** @type {string} */ outer) => {
    return ignoreCase ? inner.toLowerCase().startsWith(outer.toLowerCase()) : inner.startsWith(outer)
  }
  if (isIn(path, folder)) return path.slice(folder.length)
  const above = path.slice(0, path.indexOf('/node_modules/') + 1) || folder.slice(0, folder.search(BUILD_FOLDER) + 1)
  return above !== '' && isIn(folder, above) && isIn(path, above) ? path.slice(above.length) : path
}

/**
 * The innermost node_modules decides, as in pnpm's node_modules/.pnpm/lodash@4.17.21/node_modules/lodash.
 * @param {string} file  of a dependency
 */
function packageOf (file) {
  return /.*(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? file
}

/**
 * @param {{ file: string, via: { package: string } | null }} culprit
 * @returns {string | null} the package that the application called, or in which the culprit is where no function of the application was on the stack
 */
function dependencyOf ({ file, via }) {
  return via?.package ?? (isInPackage(file) ? packageOf(file) : null)
}

/**
 * @param {Frame} frame
 * @param {number} [line]  instead of the one at which it was at work, or on which it begins
 * @returns {string} `file:line`, in a bundle `file:line:column`; '' where V8 knows no file
 */
function placeOf (frame, line) {
  const { file, work = frame } = frame
  return showPosition({ file, line: line ?? work.line, column: line === undefined || line === work.line ? work.column : 0 })
}

/**
 * @param {{ package: string, function: string }} entered  what was called of a package
 * @param {string} between
 */
function showEntrance ({ package: name, function: entrance }, between = ' ') {
  return entrance === '(anonymous)' ? name : `${name}${between}${entrance}`
}

/** @param {Pick<CodeFrame, 'file' | 'line' | 'column'>} place */
function showPosition ({ file, line, column }) {
  if (file === '' || line === 0) return file
  return column > MAX_WRITTEN_COLUMN ? `${file}:${line}:${column}` : `${file}:${line}`
}

/**
 * @param {CallFrame} callFrame
 * @param {string} appRoot
 * @param {ReturnType<typeof createWorkLineOf>} [workLineOf]
 * @returns {CodeFrame}
 */
function toCodeFrame (callFrame, appRoot, workLineOf = () => null) {
  const frame = describeFrame(callFrame, { appRoot })
  const { line, column } = workLineOf(frame) ?? frame
  return { function: frame.name, file: frame.file, line, column }
}

module.exports = { EXPRESSION, LOOP_IO, MAX_STACK_FRAMES, MAX_WRITTEN_COLUMN, createFrameOf, dependencyOf, describeFile, describeFrame, isInPackage, packageOf, placeOf, showEntrance, showPosition, toCodeFrame }
