'use strict'

// Reads source maps that only the process has: those of code compiled as it was loaded.

const { findSourceMap } = require('node:module')
const { fileURLToPath } = require('node:url')
const { attempt } = require('../../base/guard')
const { performance } = require('../../base/timers')

const MAX_MAPS_MS = 5 // per call; the first map is always read
const MAX_MAP_LENGTH = 2 * 1024 * 1024
// ts-node (a fork of its own), @swc-node/register, @babel/register and older tools install it, with their compiled code or its maps.
const SUPPORT = /[\\/]source-map-support[\\/]source-map-support\.js$/

/**
 * Reading a map takes time on this thread, since it is decoded on first use: so only some are read per call, and none of a bundle.
 * @param {readonly string[]} urls  of scripts, as in V8
 * @returns {(string | null)[]} maps as text, null where there is none, for as many of the first as time allowed
 */
function readScriptMaps (urls) {
  const untilMs = performance.now() + MAX_MAPS_MS
  const retrievers = retrieversOfPackages()
  /** @type {(string | null)[]} */
  const maps = []
  for (const url of urls) {
    if (maps.length > 0 && performance.now() > untilMs) break
    maps.push(attempt(() => mapOfNode(url), null) ?? retrieveFirst(retrievers, attempt(() => fileURLToPath(url), url))) // these take scripts by path
  }
  return maps
}

/**
 * Node.js keeps maps with --enable-source-maps, or where the loader (tsx, Node.js's own transformation of TypeScript) called
 * process.setSourceMapsEnabled(true).
 * @param {string} url
 */
function mapOfNode (url) {
  return asText(findSourceMap(url)?.payload)
}

/** @returns {((file: string) => unknown)[]} of each loaded copy of source-map-support */
function retrieversOfPackages () {
  return Object.keys(require.cache).filter(file => SUPPORT.test(file))
    .map(file => attempt(() => require.cache[file]?.exports.retrieveSourceMap, null)).filter(retrieve => typeof retrieve === 'function')
}

/** @param {((file: string) => unknown)[]} retrievers @param {string} file */
function retrieveFirst (retrievers, file) {
  for (const retrieve of retrievers) {
    const map = attempt(() => {
      const { map } = /** @type {any} */ (retrieve(file)) ?? {}
      return asText(typeof map === 'string' && map.length <= MAX_MAP_LENGTH ? JSON.parse(map) : map)
    }, null) // a broken map
    if (map !== null) return map
  }
  return null
}

/** @param {any} map */
function asText (map) {
  const { sources, names, mappings, sourceRoot } = map ?? {}
  return typeof mappings === 'string' && mappings.length <= MAX_MAP_LENGTH ? JSON.stringify({ version: 3, sources, names, mappings, sourceRoot }) : null
}

module.exports = { readScriptMaps }
