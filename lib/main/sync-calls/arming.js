'use strict'

// The end of start-up: the first server of this process that listens. Node tells on a diagnostics channel, so that
// nothing needs to be patched for it.

const diagnosticsChannel = require('node:diagnostics_channel')
const { guarded } = require('../../shared/base/guard')

const LISTENING = 'tracing:net.server.listen:asyncEnd'

/**
 * @param {() => void} onListening  called at most once
 */
function createArming (onListening) {
  return new Arming(onListening)
}

class Arming {
  #onListening
  #running = false

  /** @param {() => void} onListening */
  constructor (onListening) {
    this.#onListening = onListening
  }

  get running () { return this.#running }

  start () {
    if (this.#running) return
    if (isListening()) return this.#onListening()
    this.#running = true
    diagnosticsChannel.subscribe(LISTENING, this.#onMessage)
  }

  stop () {
    if (!this.#running) return
    this.#running = false
    diagnosticsChannel.unsubscribe(LISTENING, this.#onMessage)
  }

  #onMessage = guarded(() => {
    this.stop()
    this.#onListening()
  })
}

/** Diagnostics may be started when the service runs already. */
function isListening () {
  return process.getActiveResourcesInfo().some(name => name === 'TCPServerWrap' || name === 'PipeServerWrap')
}

module.exports = { createArming }
