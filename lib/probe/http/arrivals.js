'use strict'

// Estimates when a request may have arrived. Node.js begins a request when it reads it, and a blocked loop reads late: until then the request
// waits in its socket, and nothing in the process records since when. Recorded is when the loop could have read it earlier, and did not.

const { guarded } = require('../../base/guard')
const { clearImmediate, setImmediate } = require('../../base/timers')
const { connectionOf } = require('./response-ends')

// Timers are late by that much even when nothing is wrong.
const LATE_MICROS = 10_000
// What was sent while the loop was late is read in the next poll, or in the one after it where the connection is new, too. The loop accepts one
// connection a poll, so each request on a new one may have another behind it, for as long again as the loop was late.
const POLLS = 2
// No client waits longer for a response; a machine may have been asleep for hours.
const MAX_UNREAD_MICROS = 60e6

class Arrivals {
  #heartbeat
  /** Since when the loop was late, while it reads what came meanwhile. @type {number | null} */
  #lateFromMicros = null
  #lateUntilMicros = 0
  #pollsLeft = 0
  /** @type {NodeJS.Immediate | undefined} */
  #afterPoll
  /** Connections whose last response was sent while the loop was late: their next request was sent after it. @type {WeakMap<object, number>} */
  #answered = new WeakMap()

  /** @param {{ dueMicros: number }} heartbeat  dueMicros: when its next tick is due */
  constructor (heartbeat) {
    this.#heartbeat = heartbeat
  }

  stop () {
    clearImmediate(this.#afterPoll)
    this.#afterPoll = undefined
    this.#lateFromMicros = null
  }

  /**
   * Call it with each tick. A pending immediate keeps the loop from waiting: what is read until it runs had already arrived.
   * @param {number} micros  now
   * @param {number} delayMs
   * @returns {boolean} whether it was late
   */
  noteTick (micros, delayMs) {
    if (delayMs * 1e3 < LATE_MICROS) return false
    this.#lateFromMicros = micros - delayMs * 1e3
    this.#lateUntilMicros = micros + delayMs * 1e3
    this.#pollsLeft = POLLS
    this.#afterPoll ??= setImmediate(this.#polled)
    return true
  }

  #polled = guarded(() => {
    this.#pollsLeft--
    this.#afterPoll = this.#pollsLeft > 0 ? setImmediate(this.#polled) : undefined
    if (this.#afterPoll === undefined) this.#lateFromMicros = null
  })

  /**
   * @param {number} micros  now, when the request is read
   * @param {any} request
   * @returns {number} the first moment at which it may have arrived
   */
  firstMicros (micros, request) {
    if (!this.#isLate(micros)) return micros
    if (this.#afterPoll !== undefined && micros < this.#lateUntilMicros && isOnNewConnection(request)) this.#pollsLeft = POLLS
    const answeredMicros = this.#answered.get(request.socket) ?? -Infinity
    return Math.min(micros, Math.max(this.#lateFromMicros ?? this.#heartbeat.dueMicros, answeredMicros, micros - MAX_UNREAD_MICROS))
  }

  /**
   * @param {any} request  the answered request
   * @param {number} micros  now
   */
  noteAnswer (request, micros) {
    if (!this.#isLate(micros)) return
    const { socket } = request
    if (typeof socket === 'object' && socket !== null) this.#answered.set(socket, micros)
  }

  /**
   * While a tick is overdue the loop still handles what it read in one poll: all of that had arrived before.
   * @param {number} micros
   */
  #isLate (micros) {
    return this.#lateFromMicros !== null || micros > this.#heartbeat.dueMicros + LATE_MICROS
  }
}

/** @param {any} request  that is read now */
function isOnNewConnection ({ socket }) {
  return typeof socket === 'object' && socket !== null && connectionOf(socket) === undefined
}

module.exports = { Arrivals }
