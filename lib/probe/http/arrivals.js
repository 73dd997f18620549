'use strict'

// When a request may have come. Node.js begins it when it reads it, which a loop that is held up does late: until then it lies in its
// socket, and nobody in the process knows since when. What is known is when the loop could have read it before, and did not.

const { guarded } = require('../../base/guard')
const { clearImmediate, setImmediate } = require('../../base/timers')

// Timers are late by that much where nothing is wrong.
const LATE_MICROS = 10_000
// What was sent while the loop was late is read when it polls next; where the connection is new, too, when it polls after that.
const POLLS = 2
// Nobody waits longer for an answer; a machine may have been asleep for hours.
const MAX_UNREAD_MICROS = 60e6

class Arrivals {
  #heartbeat
  /** From when on the loop was late, while it reads what came meanwhile. @type {number | null} */
  #lateFromMicros = null
  #pollsLeft = 0
  /** @type {NodeJS.Immediate | undefined} */
  #afterPoll
  /** Connections whose last answer was given while the loop was late: what they brought next was sent after it. @type {WeakMap<object, number>} */
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
   * To be called with each tick. An immediate that waits to be run keeps the loop from waiting: what is read until then was there.
   * @param {number} micros  now
   * @param {number} delayMs
   * @returns {boolean} whether it was late
   */
  noteTick (micros, delayMs) {
    if (delayMs * 1e3 < LATE_MICROS) return false
    this.#lateFromMicros = micros - delayMs * 1e3
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
   * @returns {number} the first moment at which it may have been there
   */
  firstMicros (micros, request) {
    if (!this.#isLate(micros)) return micros
    const answeredMicros = this.#answered.get(request.socket) ?? -Infinity
    return Math.min(micros, Math.max(this.#lateFromMicros ?? this.#heartbeat.dueMicros, answeredMicros, micros - MAX_UNREAD_MICROS))
  }

  /**
   * @param {any} request  that was answered
   * @param {number} micros  now
   */
  noteAnswer (request, micros) {
    if (!this.#isLate(micros)) return
    const { socket } = request
    if (typeof socket === 'object' && socket !== null) this.#answered.set(socket, micros)
  }

  /**
   * While a tick is overdue the loop is still handling what it read at once: all of that was there before.
   * @param {number} micros
   */
  #isLate (micros) {
    return this.#lateFromMicros !== null || micros > this.#heartbeat.dueMicros + LATE_MICROS
  }
}

module.exports = { Arrivals }
