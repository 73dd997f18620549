'use strict'

// The process's IPC channel to its parent, shared with the application and with whatever else speaks there. Who listens to `message` changes
// two things in Node.js: the channel keeps the process alive, and messages are no longer kept for a listener that comes later. Neither is
// ours to change, so the listener is not counted, and what came for nobody is kept here until there is somebody.

const { guarded } = require('../../base/guard')

/**
 * Node's count of those who need the channel: with the first it holds the process, with the last no more. Once the application has called
 * ref() or unref() itself, counting changes nothing.
 * @typedef {{ refCounted (): void, unrefCounted (): void }} CountedChannel
 */

/** @typedef {[message: unknown, handle: unknown]} Kept */

class ParentChannel {
  #take
  #isListening = false
  /** For listeners of the application, oldest first. @type {Kept[]} */
  #kept = []

  /** @param {(message: unknown) => boolean} take  whether the message was for us */
  constructor (take) {
    this.#take = take
  }

  /**
   * There is no stop(): whoever was told of an action waits for its answer, also when the application has closed.
   * @returns {boolean} whether it listens
   */
  start () {
    const channel = countedChannel()
    if (this.#isListening || channel === null) return this.#isListening
    this.#isListening = true
    process.on('newListener', this.#onNewListener)
    process.on('removeListener', this.#onRemoved)
    process.on('message', this.#onMessage)
    channel.unrefCounted()
    return true
  }

  /**
   * Never throws: a channel that is closed, or a daemon that is gone, is nobody's fault here.
   * @param {object} message
   * @param {() => void} [onSent]  it has gone out, or never will
   */
  send (message, onSent = () => {}) {
    if (!process.connected) return onSent()
    try {
      // Without a callback a failure would be an `error` event of the process.
      process.send?.(message, undefined, undefined, guarded(() => onSent()))
    } catch {
      onSent()
    }
  }

  #onMessage = guarded((/** @type {unknown} */ message, /** @type {unknown} */ handle) => {
    if (!this.#take(message) && process.listenerCount('message') === 1) this.#kept.push([message, handle])
  })

  #onNewListener = guarded((/** @type {string} */ name, /** @type {Function} */ listener) => {
    if (name !== 'message' || listener === this.#onMessage) return
    // As Node.js does it: when the listener is there.
    for (const values of this.#kept.splice(0)) process.nextTick(emitMessage, ...values)
  })

  /** With all others, by the application: Node.js counts us now, who were not counted. */
  #onRemoved = guarded((/** @type {string} */ name, /** @type {Function} */ listener) => {
    if (name === 'message' && listener === this.#onMessage) countedChannel()?.refCounted()
  })
}

/**
 * @param {unknown} message
 * @param {unknown} handle
 */
function emitMessage (message, handle) {
  const emit = /** @type {(name: string, ...values: unknown[]) => void} */ (process.emit)
  Reflect.apply(emit, process, ['message', message, handle])
}

/** @returns {CountedChannel | null} null: there is no channel, or it cannot be listened to without holding the process */
function countedChannel () {
  const channel = /** @type {Partial<CountedChannel> | null | undefined} */ (process.channel)
  const isCounted = typeof channel?.refCounted === 'function' && typeof channel.unrefCounted === 'function'
  return isCounted ? /** @type {CountedChannel} */ (channel) : null
}

module.exports = { ParentChannel }
