'use strict'

// The public names of Node's own files, and of the functions in them, if they differ from the names in the code. Pure.

const { isBuiltin } = require('node:module')
const path = require('node:path')
const querystring = require('node:querystring')

// 'node:internal/crypto/pbkdf2' -> 'crypto', 'node:fs' -> 'fs', 'node:internal/child_process' -> 'child_process'
const MODULE = /^node:(?:internal\/)?([a-z_]+)/
// gzipSync, and also randomFillSync below randomBytes without a callback
const SYNCHRONOUS = /\wSync$/
// Entrances that Node names differently inside. All of zlib's synchronous functions share one.
const PUBLIC_NAMES = new Map([
  ['zlib.syncBufferWrapper', 'zlib.*Sync'],
  ['modules.require', 'require'],
  ['modules.importModuleDynamicallyCallback', 'import'],
  ['crypto.signOneShot', 'crypto.sign'],
  ['crypto.verifyOneShot', 'crypto.verify'],
  ['crypto.sign', 'crypto.createSign().sign'],
  ['crypto.verify', 'crypto.createVerify().verify']
])
// Synchronous, although the names do not end in Sync. With a callback, which sign and verify accept, their time is not spent here.
const SIGNED = new Set(['crypto.sign', 'crypto.verify', 'crypto.createSign().sign', 'crypto.createVerify().verify'])

/**
 * Functions whose names mean little without what they belong to: `from` is Buffer.from.
 * @type {{ file: RegExp, owner: string, holders: object[] }[]}
 */
const OWNERS = [
  { file: /^node:(internal\/)?buffer$/, owner: 'Buffer', holders: [Buffer, Buffer.prototype] },
  { file: /^node:internal\/encoding$/, owner: 'TextEncoder', holders: [TextEncoder.prototype] },
  { file: /^node:internal\/encoding$/, owner: 'TextDecoder', holders: [TextDecoder.prototype] },
  { file: /^node:internal\/crypto\/hash$/, owner: 'Hash', holders: [{ update: null, digest: null }] },
  { file: /^node:path$/, owner: 'path', holders: [path] },
  { file: /^node:querystring$/, owner: 'querystring', holders: [querystring] }
]

// Work of Node's for the application, which only awaits it and is not on the stack: the name of what it called, and what takes the time in it.
/** @type {Map<string, { function: string, call: string | null }>} */
const AWAITED_WORK = new Map([
  ['node:internal/deps/undici/undici parseJSONFromBytes', { function: 'Response.json', call: 'JSON.parse' }],
  ['node:stream/consumers json', { function: 'json', call: 'JSON.parse' }]
])

// Each chunk runs through dozens of their functions, in microtasks that have nothing of the application on the stack.
const WEB_STREAMS = /^node:internal\/webstreams\//
const WEB_STREAMS_WORK = Object.freeze({ function: 'web streams', call: null })

// Of files that are called otherwise than what the application requires, or calls.
/** @type {readonly { inside: RegExp, name: string }[]} */
const RENAMED = Object.freeze([
  { inside: /^deps\/undici\b/, name: 'fetch' },
  { inside: /^(js_)?streams?(_|\b)/, name: 'node:stream' },
  { inside: /^webstreams\b/, name: 'node:stream/web' },
  { inside: /^worker\b/, name: 'node:worker_threads' },
  { inside: /^http_/, name: 'node:http' },
  { inside: /^tls_/, name: 'node:tls' }
])

/**
 * @param {string} file  one of Node's own: `node:internal/fs/promises`
 * @returns {string | null} what the application calls it: `node:fs/promises`, or `fetch`; null: it is for Node's own use
 */
function publicModuleOf (file) {
  if (isBuiltin(file) && !file.startsWith('node:_')) return file
  const inside = file.replace(/^node:(?:internal\/)?_?/, '')
  const renamed = RENAMED.find(row => row.inside.test(inside))
  if (renamed !== undefined) return renamed.name
  const parts = inside.split('/')
  const length = parts.findLastIndex((_, index) => isBuiltin(`node:${parts.slice(0, index + 1).join('/')}`)) + 1
  return length === 0 ? null : `node:${parts.slice(0, length).join('/')}`
}

/**
 * @typedef {object} NodeFunction  of one of Node's own files
 * @property {string} name
 * @property {string} file  'node:fs'
 */

/**
 * @param {NodeFunction} entrance  what was called from outside
 * @param {boolean} isSync         whether something synchronous ran in it
 * @returns {string | null} 'crypto.pbkdf2Sync'; null if the call did not block the loop, judging by the names
 */
function synchronousApi ({ name, file }, isSync) {
  const [, module = 'node'] = MODULE.exec(file) ?? []
  const inside = `${module}.${name || '(anonymous)'}`
  const api = PUBLIC_NAMES.get(inside) ?? inside
  return isSync || SIGNED.has(api) ? api : null
}

// Names inside that say less than what the application writes.
const WRITTEN = new Map([
  ['node:internal/modules/esm/utils importModuleDynamicallyCallback', 'import'],
  ['node:internal/child_process target.send', 'ChildProcess.send'],
  ['node:internal/child_process target._send', 'ChildProcess.send']
])

/**
 * @param {NodeFunction} frame
 * @returns {string | null} as an application calls it, or null where its own name is enough
 */
function publicName ({ name, file }) {
  const written = WRITTEN.get(`${file} ${name}`)
  if (written !== undefined) return written
  for (const { file: ofFile, owner, holders } of OWNERS) {
    const own = name.startsWith(`${owner}.`) ? name.slice(owner.length + 1) : name
    if (ofFile.test(file) && holders.some(holder => Object.hasOwn(holder, own))) return `${owner}.${own}`
  }
  return null
}

/** @param {string} name */
function isSynchronous (name) {
  return SYNCHRONOUS.test(name)
}

/**
 * What Node.js does for an application that only awaits it.
 * @param {NodeFunction} frame
 * @returns {{ function: string, call: string | null } | null}
 */
function awaitedWorkOf ({ name, file }) {
  return isOfWebStreams(file) ? WEB_STREAMS_WORK : AWAITED_WORK.get(`${file} ${name}`) ?? null
}

/** @param {string} file */
function isOfWebStreams (file) {
  return WEB_STREAMS.test(file)
}

module.exports = { awaitedWorkOf, isOfWebStreams, isSynchronous, publicModuleOf, publicName, synchronousApi }
