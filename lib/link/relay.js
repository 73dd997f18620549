'use strict'

// Passes requests from the main thread to the observer, and the responses back. Only plain data crosses; a streamed response is sent
// chunk by chunk, each on request.

const { errors } = require('../base/errors')
const { AbortController, AbortSignal } = require('../base/globals')
const { guarded } = require('../base/guard')

/** @import { AdminResponse } from '../shared/admin/responses' */
/** @import { AdminRequest } from '../observer/admin/router' */
/** @import { Ask } from './channel' */

/**
 * @typedef {{ head: Omit<AdminResponse, 'body'> & { body: any }, stream: string | null }} RelayedResponse  stream: id of a streamed body
 * @typedef {{ application: number, request: AdminRequest }} RelayedRequest
 */

/**
 * The main thread's end.
 * @param {object} parts
 * @param {Ask} parts.ask  the observer
 */
function createRelaySender ({ ask }) {
  /**
   * @param {number} application
   * @param {AdminRequest} request
   * @param {AbortSignal} signal  the connection or the response ended; every response ends
   * @returns {Promise<AdminResponse>}
   */
  async function forward (application, request, signal) {
    const { head, stream } = await ask('request', { application, request }, signal)
    if (stream === null) return head
    const end = guarded(() => ask('chunk', { stream, isWanted: false }).catch(() => {})) // otherwise the observer is gone, and the stream with it
    // At once, not with the next chunk: another client may wait for the slot. It may be before the first.
    if (signal.aborted) end()
    else signal.addEventListener('abort', end, { once: true })
    return { ...head, body: { chunks: chunksOf(stream, signal) } }
  }

  /** @param {string} stream @param {AbortSignal} signal */
  async function * chunksOf (stream, signal) {
    while (!signal.aborted) {
      const { value, done } = await ask('chunk', { stream, isWanted: true })
      if (done) return
      yield value
    }
  }

  return { forward }
}

/**
 * The observer's end.
 * @param {object} parts
 * @param {(application: number) => ((request: AdminRequest, signal: AbortSignal) => Promise<AdminResponse>) | undefined} parts.handlerOf
 */
function createRelayReceiver ({ handlerOf }) {
  /** @type {Map<string, { chunks: AsyncIterator<string>, end: AbortController }>} */
  const streams = new Map()

  return {
    /** @param {RelayedRequest} message @param {AbortSignal} signal */
    async request ({ application, request }, signal) {
      const handle = handlerOf(application)
      if (handle === undefined) throw new errors.ERR_LOOPSCOPE_NOT_RUNNING('this request')
      const end = new AbortController()
      const response = await handle(request, AbortSignal.any([signal, end.signal]))
      const { body } = response
      if (body === null || typeof body !== 'object' || !('chunks' in body)) return { head: response, stream: null }
      const stream = process.getBuiltinModule('node:crypto').randomUUID() // not a number: a restarted thread must not have the same one
      streams.set(stream, { chunks: body.chunks[Symbol.asyncIterator](), end })
      return { head: { ...response, body: null }, stream }
    },

    /** @param {{ stream: string, isWanted: boolean }} message */
    async chunk ({ stream, isWanted }) {
      if (!isWanted) this.end(stream)
      const { value, done } = await streams.get(stream)?.chunks.next() ?? { value: null, done: true }
      return { value, done: done === true }
    },

    /** @param {string} stream */
    end (stream) {
      const { chunks, end } = streams.get(stream) ?? {}
      streams.delete(stream)
      end?.abort()
      chunks?.return?.().catch(() => {}) // it may be between two chunks, where the signal does not reach it
    },

    close () {
      for (const stream of [...streams.keys()]) this.end(stream)
    }
  }
}

module.exports = { createRelaySender, createRelayReceiver }
