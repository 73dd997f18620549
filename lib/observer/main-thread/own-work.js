'use strict'

// What the observer has the main thread do for us through the inspector and what holds it up: it is marked on the main thread
// itself, before and after, so that it is not taken for a stall of the application, and the application's own stalls still are.

const { OWN_FOLDER } = require('../../shared/base/own-files')

const SOURCE = `${OWN_FOLDER}observer/main-thread/own-work.js` // the name makes it a frame of ours in profiles

/**
 * @param {object} parts
 * @param {(method: string, params?: object) => Promise<any>} parts.post  to the inspector of the main thread
 * @param {string} parts.expression  of a function of the main thread: (isBegin) => milliseconds that it took
 */
function createOwnWork ({ post, expression }) {
  let totalMs = 0

  /** @param {boolean} isBegin */
  async function mark (isBegin) {
    const marking = `${expression}(${isBegin})\n//# sourceURL=${SOURCE}`
    const { result } = await post('Runtime.evaluate', { expression: marking, returnByValue: true, silent: true })
    return Number(result?.value ?? 0)
  }

  return {
    /** For how long the main thread has stood still for us since the start. */
    get totalMs () { return totalMs },

    /**
     * To be used for what V8 does before it goes on: not for what it puts off, as it does HeapProfiler.collectGarbage.
     * @param {string} method
     * @param {object} [params]
     * @returns {Promise<any>}
     */
    async post (method, params) {
      // All three at once: the main thread takes them one after the other, with nothing of the application's between them.
      const [, reply, tookMs] = await Promise.all([mark(true), post(method, params), mark(false)])
      totalMs += tookMs
      return reply
    }
  }
}

module.exports = { createOwnWork }
