'use strict'

// The process's IPC channel to its parent, shared with the application and other code. A listener for `message` has two side effects in Node.js: the
// channel keeps the process alive, and messages are no longer buffered for a later listener. To avoid both, loopscope's listener is not counted, and
// messages without a listener are kept here until there is one.

const { guarded } = require('../../base/guard')

/**
 * Node's count of the users of the channel: the first makes it keep the process alive, the last ends that. Once the application has called
 * ref() or unref() itself, counting has no effect.
 * @typedef {{ refCounted (): void, unrefCounted (): void }} CountedChannel
 */

/** @typedef {[message: unknown, handle: unknown]} Kept */

class ParentChannel {
  #take
  #isListening = false
  /** Messages for listeners of the application, oldest first. @type {Kept[]} */
  #kept = []

  /** @param {(message: unknown) => boolean} take  returns whether the message was for loopscope */
  constructor (take) {
    this.#take = take
  }

  /**
   * There is no stop(): PM2 waits for the answer of a registered action, also when the application has closed.
   * @returns {boolean} whether it listens now
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
   * Never throws: a closed channel, or a daemon that is gone, is not an error here.
   * @param {object} message
   * @param {() => void} [onSent]  called when it was sent, or never will be
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
    // Like Node.js: once the listener is added.
    for (const values of this.#kept.splice(0)) process.nextTick(emitMessage, ...values)
  })

  /** The application removed all listeners: Node.js counts down for this one, too, which was never counted. */
  #onRemoved = guarded((/** @type {string} */ name, /** @type {Function} */ listener) => {
    if (name === 'message' && listener === this.#onMessage) countedChannel()?.refCounted()
  })
}

/** @param {unknown} message @param {unknown} handle */
function emitMessage (message, handle) {
  const emit = /** @type {(name: string, ...values: unknown[]) => void} */ (process.emit)
  Reflect.apply(emit, process, ['message', message, handle])
}

/** @returns {CountedChannel | null} null: no channel, or none that can be listened to without keeping the process alive */
function countedChannel () {
  const channel = /** @type {Partial<CountedChannel> | null | undefined} */ (process.channel)
  const isCounted = typeof channel?.refCounted === 'function' && typeof channel.unrefCounted === 'function'
  return isCounted ? /** @type {CountedChannel} */ (channel) : null
}

module.exports = { ParentChannel }
