'use strict'

// Globals of JavaScript and Node.js for loopscope's own work, as they were made: an application may have replaced them (bluebird and zone.js the
// promises, jsdom the rest), and a replaced Promise lacks methods, whereas a replaced URL or AbortSignal means something else to Node.js. Timers: see
// timers.js.

const { URL, URLSearchParams } = require('node:url')
const util = require('node:util')

/** What async functions return. @type {PromiseConstructor} */
const Promise = /** @type {any} */ ((async () => {})().constructor)

const { stringify } = JSON

/**
 * JSON of plain data, whatever the application has done to JSON.stringify() or given to all arrays and objects: Prototype.js has a toJSON() for them.
 * @param {unknown} value
 * @returns {string}
 */
function toJson (value) {
  return /** @type {any} */ ([]).toJSON === undefined ? stringify(value) : stringify(value, ownValue)
}

/** @this {any} @param {string} key */
function ownValue (key) {
  return this[key]
}

module.exports = {
  Promise,
  toJson,
  URL: /** @type {typeof globalThis.URL} */ (URL),
  URLSearchParams: /** @type {typeof globalThis.URLSearchParams} */ (URLSearchParams),

  // No module has them. Made when they are wanted, because a process that ends at once has no use for them.
  get AbortController () { return /** @type {typeof globalThis.AbortController} */ (makeController()?.constructor ?? globalThis.AbortController) },
  get AbortSignal () { return /** @type {typeof globalThis.AbortSignal} */ (makeController()?.signal.constructor ?? globalThis.AbortSignal) }
}

/** @returns {AbortController | undefined} of Node.js; undefined in other runtimes */
function makeController () {
  return util.transferableAbortController?.()
}
