'use strict'

// Asks an admin surface, and gives its answer as whoever asks wants it: as it comes, in bytes, as JSON or as events.

const { once } = require('node:events')
const { parseJson, readAll } = require('./answer')
const { readEvents } = require('./events')
const { foreignAnswer, refusalOf, toFailure } = require('./failed-request')
const { sendRequest } = require('./request')

/** @import { IncomingMessage } from 'node:http' */
/** @import { Wanted } from './request' */
/** @import { Target } from './target' */

/**
 * @param {Target} target
 * @param {AbortSignal} signal  Ctrl-C: the connection is dropped, which cancels what it asked for
 */
function createClient (target, signal) {
  /**
   * @param {string} path
   * @param {Wanted} [wanted]
   * @returns {Promise<IncomingMessage>}
   */
  async function ask (path, wanted) {
    const request = sendRequest(target, path, wanted, signal)
    try {
      const [response] = await once(request, 'response')
      if (response.statusCode >= 300) throw await refusalOf(response, target)
      if (wanted?.type !== undefined && !response.headers['content-type']?.startsWith(wanted.type)) {
        response.destroy() // nobody reads it, and its connection would hold the command until the server closes that
        throw foreignAnswer(response, target)
      }
      return response
    } catch (error) {
      throw toFailure(error, target, signal)
    }
  }

  /**
   * @param {string} path
   * @param {Wanted} [wanted]
   * @returns {Promise<Buffer>}
   */
  async function bytes (path, wanted) {
    const response = await ask(path, wanted)
    return readAll(response, wanted?.maxBytes).catch(error => { throw toFailure(error, target, signal) })
  }

  /**
   * As they come, until the answer ends.
   * @param {string} path
   */
  async function * events (path) {
    const response = await ask(path, { type: 'text/event-stream' })
    try {
      yield * readEvents(response)
    } catch (error) {
      throw toFailure(error, target, signal)
    }
  }

  /**
   * @param {string} path
   * @param {Wanted} [wanted]
   * @returns {Promise<any>}
   */
  async function json (path, wanted) {
    return parseJson((await bytes(path, { type: 'application/json', ...wanted })).toString())
  }

  return {
    ask,
    /** Cancels what was asked for when the user has left, and waits for no answer. @param {string} path */
    abandon: path => {
      const request = sendRequest(target, path, { method: 'DELETE' })
      request.on('error', () => {}).on('response', response => response.resume())
    },
    json,
    bytes,
    /** As it comes, to where it is to go. @param {string} path @param {Pick<import('../output/destination').Destination, 'write'>} destination */
    deliver: async (path, destination) => {
      const response = await ask(path)
      await destination.write(response).catch(error => { throw toFailure(error, target, signal) })
    },
    events
  }
}

module.exports = { createClient }
