'use strict'

// Notes the span of each request, where OpenTelemetry is in use: it is active for the listeners of a server, and not yet where
// node:diagnostics_channel tells of the request. Other processes get no listener.

const { guarded } = require('../../shared/base/guard')
const { hasContexts } = require('./open-telemetry')
const { noteSpan } = require('./trace-of')

/** @import { Server } from 'node:http' */

const EVENT = 'request'

function createRequestSpans () {
  return new RequestSpans()
}

class RequestSpans {
  /** @type {Map<Server, () => void>} servers that we listen to, and how to stop */
  #servers = new Map()
  #note = guarded(noteSpan)

  /** @param {Server} server  that has its first request now, which its listeners have not been told of */
  meet (server) {
    if (!hasContexts() || this.#servers.has(server)) return
    const stop = guarded(() => {
      if (!this.#servers.delete(server)) return
      server.removeListener(EVENT, this.#note)
      server.removeListener('close', stop)
    })
    this.#servers.set(server, stop)
    server.on(EVENT, this.#note)
    server.on('close', stop)
  }

  stop () {
    for (const stop of this.#servers.values()) stop()
  }
}

module.exports = { createRequestSpans }
