'use strict'

// TCP connections as they are opened: the DNS lookup, and the connection.

const { guarded } = require('../../../base/guard')
const { monotonicMicros } = require('../../../base/monotonic')

/** @import { Socket } from 'node:net' */
/** @import { DependencyCalls } from '../dependency-calls' */

/** @param {DependencyCalls} calls */
function listen (calls) {
  const connections = calls.namesOf({ kind: 'net' })
  const lookups = calls.namesOf({ kind: 'dns' })
  return [calls.listen('net.client.socket', (/** @type {{ socket: Socket }} */ { socket }) => {
    const context = calls.request()
    const fromMicros = monotonicMicros()
    /** @type {ReturnType<DependencyCalls['begin']> | undefined} */
    let call
    /** @type {string | undefined} */
    let host
    const end = (/** @type {boolean} */ isError) => {
      for (const [event, listener] of Object.entries(listeners)) socket.off(event, listener)
      if (call !== undefined) calls.end(call, isError)
    }
    const listeners = {
      // It is emitted for each of several addresses. No listener for `error`: it would keep an unhandled one from being thrown.
      lookup: guarded((/** @type {Error | null} */ error, /** @type {unknown} */ address, /** @type {unknown} */ family, /** @type {string} */ name) => {
        if (host === undefined) calls.note(lookups.numberOf('lookup', name), fromMicros, error !== null && error !== undefined, context)
        host = name
      }),
      connectionAttempt: guarded((/** @type {string} */ ip, /** @type {number} */ port) => {
        call ??= calls.begin(connections.numberOf('connect', host ?? ip, port), context)
      }),
      connect: guarded(() => end(false)),
      close: guarded(() => end(true))
    }
    for (const [event, listener] of Object.entries(listeners)) socket.on(event, listener)
  })]
}

module.exports = { listen }
