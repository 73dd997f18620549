'use strict'

// What one request waits for: its calls, by name. Overlapping calls of one name are one wait. It is read when the request is answered, and then
// released; a call that ends later has nothing to add to.

// Further names of a request are in no wait.
const MAX_NAMES = 20
// Per name, with begin and end: of later ones only count and length are kept.
const MAX_SPANS = 50

class RequestWaits {
  /** The instance that counts for it: copies of this package share requests, and their name numbers differ. */
  owner
  /** @type {Wait[]} */
  #waits = []

  /** @param {object} owner */
  constructor (owner) {
    this.owner = owner
  }

  /**
   * @param {number} name  the number of the name
   * @param {number} micros  now
   * @returns {Wait | null} to be ended with the call
   */
  begin (name, micros) {
    const wait = this.#waits.find(wait => wait.name === name) ?? this.#add(name)
    wait?.begin(micros)
    return wait
  }

  /** @param {number} name */
  #add (name) {
    if (this.#waits.length === MAX_NAMES) return null
    const wait = new Wait(name)
    this.#waits.push(wait)
    return wait
  }

  /**
   * @param {number} toMicros  end of the calls that are still open
   * @returns {number[][]} plain numbers, cheap to send to another thread: name, calls, errors, waited, then begins and ends
   */
  read (toMicros) {
    return this.#waits.map(wait => wait.read(toMicros))
  }

  /** @returns {{ name: number, calls: number, sinceMicros: number, isUnsent: boolean }[]} the calls that are under way; isUnsent: none of them has a connection yet */
  open () {
    return this.#waits.flatMap(({ name, pending, unsent, sinceMicros }) => pending === 0 ? [] : [{ name, calls: pending, sinceMicros, isUnsent: unsent === pending }])
  }

  /** The request was answered. Its pending calls may still hold this object. */
  clear () {
    this.#waits = []
  }
}

class Wait {
  name
  #calls = 0
  #errors = 0
  /** Calls under way. */
  pending = 0
  /** Since when there has been one. */
  sinceMicros = 0
  /** Calls under way that have no connection yet, where that is known. */
  unsent = 0
  #micros = 0
  /** @type {number[]} */
  #spans = []

  /** @param {number} name */
  constructor (name) {
    this.name = name
  }

  /** @param {number} micros */
  begin (micros) {
    this.#calls++
    if (this.pending++ === 0) this.sinceMicros = micros
  }

  /**
   * What was taken for a call was none until now. Where there are others at the same time, these count since their begin.
   * @param {number} micros
   */
  beginAgain (micros) {
    if (this.pending === 1) this.sinceMicros = micros
  }

  /** @param {number} micros @param {boolean} isError */
  end (micros, isError) {
    if (isError) this.#errors++
    if (--this.pending > 0) return
    this.#micros += micros - this.sinceMicros
    if (this.#spans.length < 2 * MAX_SPANS) this.#spans.push(this.sinceMicros, micros)
  }

  /** @param {number} toMicros */
  read (toMicros) {
    const open = this.pending > 0 ? [this.sinceMicros, toMicros] : []
    const openMicros = this.pending > 0 ? toMicros - this.sinceMicros : 0
    return [this.name, this.#calls, this.#errors, this.#micros + openMicros, ...this.#spans, ...open]
  }
}

module.exports = { RequestWaits }
