'use strict'

// The table of synchronous APIs that can be watched, one row per API. It only names them; it wraps nothing.

const { refuse } = require('../../base/validate')

/**
 * @typedef {object} Target
 * @property {string} api                  as written in code: 'crypto.pbkdf2Sync', 'new Date()'
 * @property {string | null} module        null: below globalThis
 * @property {string[]} path               from the module to the function
 * @property {boolean} isDefault           false: watched only when it is named in the option
 * @property {boolean} isCounted           too short to be timed: calls are counted
 * @property {((args: ArrayLike<any>) => boolean) | null} isSync  where it depends on the arguments
 * @property {Limit | null} reportAbove    calls below both limits are not counted
 *
 * @typedef {object} Limit
 * @property {number} length  characters or bytes
 * @property {number} ms
 * @property {(args: ArrayLike<any>, result: any) => number} lengthOf
 */

// 100,000 characters of JSON take 0.5 to 1 ms; hashing takes as long for ten times as much.
const JSON_LIMIT = { length: 100_000, ms: 1 }
const HASH_LIMIT = { length: 1_000_000, ms: 1 }

/** Reads no property of unknown objects: it could run a getter of the application. @param {unknown} value */
function lengthOf (value) {
  if (typeof value === 'string') return value.length
  return ArrayBuffer.isView(value) ? value.byteLength : 0
}

/** @param {ArrayLike<any>} args */
const hasNoCallback = args => typeof args[args.length - 1] !== 'function'

/** createDiffieHellman(2048) searches for a prime; with a prime given there is nothing to search. @param {ArrayLike<any>} args */
const isPrimeSearched = args => typeof args[0] === 'number'

/**
 * @param {string} api
 * @param {string | null} module
 * @param {string[]} path
 * @param {Partial<Target>} [rest]
 * @returns {Target}
 */
function row (api, module, path, rest) {
  return { api, module, path, isDefault: true, isCounted: false, isSync: null, reportAbove: null, ...rest }
}

/**
 * A function of node:crypto, or of the instances of one of its classes.
 * @param {string} api  'crypto.sign'
 * @param {Partial<Target>} [rest]
 */
function cryptoRow (api, rest) {
  return row(api, 'node:crypto', [api.slice('crypto.'.length)], rest)
}

const ON_REQUEST = { isDefault: false }

/** APIs that cannot be found by their names. Date.now comes before Date, which copies it with Date's other properties. */
const ROWS = [
  row('fs.realpathSync.native', 'node:fs', ['realpathSync', 'native']),
  cryptoRow('crypto.randomBytes', { isSync: hasNoCallback }),
  cryptoRow('crypto.randomInt', { isSync: hasNoCallback }),
  cryptoRow('crypto.randomUUID'),
  cryptoRow('crypto.randomUUIDv7'),
  cryptoRow('crypto.createDiffieHellman', { isSync: isPrimeSearched }),
  cryptoRow('crypto.diffieHellman', { isSync: hasNoCallback }),
  cryptoRow('crypto.sign', { ...ON_REQUEST, isSync: hasNoCallback }),
  cryptoRow('crypto.verify', { ...ON_REQUEST, isSync: hasNoCallback }),
  cryptoRow('crypto.hash', { ...ON_REQUEST, reportAbove: { ...HASH_LIMIT, lengthOf: args => lengthOf(args[1]) } }),
  row('crypto.createHash().update', 'node:crypto', ['Hash', 'prototype', 'update'], { ...ON_REQUEST, reportAbove: { ...HASH_LIMIT, lengthOf: args => lengthOf(args[0]) } }),
  row('crypto.createHmac().update', 'node:crypto', ['Hmac', 'prototype', 'update'], { ...ON_REQUEST, reportAbove: { ...HASH_LIMIT, lengthOf: args => lengthOf(args[0]) } }),
  row('crypto.createSign().sign', 'node:crypto', ['Sign', 'prototype', 'sign'], ON_REQUEST),
  row('crypto.createVerify().verify', 'node:crypto', ['Verify', 'prototype', 'verify'], ON_REQUEST),
  row('Atomics.wait', null, ['Atomics', 'wait']),
  row('JSON.parse', null, ['JSON', 'parse'], { reportAbove: { ...JSON_LIMIT, lengthOf: args => lengthOf(args[0]) } }),
  row('JSON.stringify', null, ['JSON', 'stringify'], { reportAbove: { ...JSON_LIMIT, lengthOf: (args, result) => lengthOf(result) } }),
  row('Date.now', null, ['Date', 'now'], { isCounted: true }),
  row('new Date()', null, ['Date'], { isCounted: true })
]

const MODULES = ['node:fs', 'node:crypto', 'node:zlib', 'node:child_process']

/**
 * The functions of a module that end in Sync: each version of Node has more of them. A function that Node loads on first use (fs.opendirSync of
 * Node 20) is not a function yet, and is skipped.
 * @param {string} module
 * @returns {Target[]}
 */
function rowsOfNames (module) {
  return Object.entries(Object.getOwnPropertyDescriptors(process.getBuiltinModule(module)))
    .filter(([name, { value }]) => name.endsWith('Sync') && typeof value === 'function')
    .map(([name]) => row(`${module.slice('node:'.length)}.${name}`, module, [name]))
}

/** @param {Target} target @returns {{ holder: any, name: string }} the object that has the function, as it is now */
function propertyOf ({ module, path }) {
  /** @type {any} */
  let holder = module === null ? globalThis : process.getBuiltinModule(module)
  for (const name of path.slice(0, -1)) holder = holder?.[name]
  return { holder, name: path[path.length - 1] }
}

/** @param {Target} target */
function exists (target) {
  const { holder, name } = propertyOf(target)
  return holder !== undefined && typeof Object.getOwnPropertyDescriptor(holder, name)?.value === 'function'
}

/** @returns {Target[]} every API that this Node has; a function that is a property of another one comes before it */
function listTargets () {
  return [...ROWS.filter(exists), ...MODULES.flatMap(rowsOfNames)]
}

/**
 * @param {readonly string[]} apis  names of APIs; `fs.*`, or `*`, stands for all of a module, or all, that are watched by default
 * @param {string} path             of the option, for the error
 * @returns {Target[]}
 * @throws ERR_LOOPSCOPE_INVALID_OPTION for a name that matches nothing in any supported version of Node
 */
function selectTargets (apis, path) {
  const targets = listTargets()
  const wanted = new Set()
  for (const api of apis) {
    const matching = targets.filter(target => matches(api, target))
    if (matching.length === 0 && !ROWS.some(target => matches(api, target))) {
      refuse(path, `names of APIs such as ${targets[0].api}, fs.* or *`, api)
    }
    for (const target of matching) wanted.add(target)
  }
  return targets.filter(target => wanted.has(target))
}

/** @param {string} api @param {Target} target */
function matches (api, target) {
  return api.endsWith('*') ? target.isDefault && target.api.startsWith(api.slice(0, -1)) : target.api === api
}

module.exports = { listTargets, selectTargets, propertyOf }
