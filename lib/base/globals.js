'use strict'

// Globals of JavaScript and Node.js for loopscope's own work, as they were made: an application may have replaced them (bluebird and zone.js the
// promises, jsdom the rest), and a replaced Promise lacks methods, whereas a replaced URL or AbortSignal means something else to Node.js. Timers: see
// timers.js.

const { URL, URLSearchParams } = require('node:url')
const util = require('node:util')

/** What async functions return. @type {PromiseConstructor} */
const Promise = /** @type {any} */ ((async () => {})().constructor)

module.exports = {
  Promise,
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
