'use strict'

// Reads the stacks of sampled Buffers: the code outside Node.js that asked for them, and the part of Node.js that created them.

const { fileOf, placeOf, readStacks } = require('../call-sites')
const { attempt } = require('../../base/guard')
const { OWN_FOLDER, OWN_PACKAGES, WRAPPERS_FOLDER, WRAPPER_NAME } = require('../../base/own-files')

/** @import { CallPlace, CapturedStack } from '../call-sites' */

/**
 * @typedef {{ frames: CallPlace[], api: string }} BufferStack  frames: innermost first: the first one outside Node.js, and where it is of a package the first of
 *   the application, with its caller; empty: no code but Node's own. api: what created it, such as `Buffer.alloc`, `zlib`, `fs`
 */

const WRAPPERS = `${WRAPPERS_FOLDER}wrapper.js`
const PACKAGE = /[\\/]node_modules[\\/]/
const MODULE = /^node:(?:internal\/)?([a-z0-9_]+)/
// Modules that pass on what others create.
const PASSING = new Set(['buffer', 'events', 'stream', 'streams', 'process', 'async_hooks', 'timers', 'diagnostics_channel', 'modules'])

/**
 * @param {readonly (CapturedStack | null)[]} stacks
 * @returns {(BufferStack | null)[]} null: made by loopscope itself
 */
function sitesOf (stacks) {
  return readStacks(stacks).map(frames => attempt(() => siteOf(frames), null)) // the rest of the batch is still read
}

/** @param {NodeJS.CallSite[]} frames @returns {BufferStack | null} */
function siteOf (frames) {
  const outside = frames.map((frame, index) => ({ frame, index, file: fileOf(frame) })).filter(({ frame, file }) => {
    return file !== '' && !file.startsWith('node:') && file !== WRAPPERS && frame.getFunctionName() !== WRAPPER_NAME
  })
  const [first] = outside
  // The application may use the same packages.
  const user = outside.find(({ file }) => !OWN_PACKAGES.test(file))
  if (first !== undefined && (user === undefined || user.file.startsWith(OWN_FOLDER))) return null
  const ofApplication = outside.slice(1).filter(({ file }) => !PACKAGE.test(file) && !file.startsWith(OWN_FOLDER))
  const isOfPackage = first !== undefined && PACKAGE.test(first.file)
  return {
    frames: [...outside.slice(0, 1), ...ofApplication.slice(0, isOfPackage ? 2 : 1)].map(({ frame }) => placeOf(frame)),
    api: apiOf(frames.slice(0, first?.index ?? frames.length))
  }
}

/** @param {NodeJS.CallSite[]} frames  of Node.js below the code that called it */
function apiOf (frames) {
  for (const frame of frames.toReversed()) {
    const name = MODULE.exec(fileOf(frame))?.[1]
    if (name !== undefined && !PASSING.has(name)) return name
  }
  return 'Buffer'
}

module.exports = { sitesOf }
