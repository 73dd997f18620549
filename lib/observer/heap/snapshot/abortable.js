'use strict'

// Waits no longer than until it is cancelled, where what is waited for cannot be: the main thread answers when it comes round.

const { guarded } = require('../../../shared/base/guard')

/**
 * @template T
 * @param {Promise<T>} work
 * @param {AbortSignal} signal
 * @returns {Promise<T>}
 */
function abortable (work, signal) {
  return new Promise((resolve, reject) => {
    const abort = guarded(() => reject(signal.reason))
    signal.addEventListener('abort', abort)
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}

module.exports = { abortable }
