'use strict'

// The handles that run in this process: who is told of stalls, and whose requests were under way.

/** @import { Stall } from '../../../types/diagnostics' */
/** @import { SlowRequest, Work } from '../http/middleware' */

/**
 * @typedef {object} Subscriber  one handle: the first one also logs
 * @property {(stall: Stall, isFirst: boolean) => void} onStall
 * @property {() => SlowRequest | null} takeSlowest
 * @property {() => Work[]} takeWork
 */

function createSubscribers () {
  return new Subscribers()
}

class Subscribers {
  /** @type {Set<Subscriber>} */
  #all = new Set()

  /** @param {Subscriber} subscriber */
  add (subscriber) {
    this.#all.add(subscriber)
  }

  /** @param {Subscriber} subscriber */
  delete (subscriber) {
    this.#all.delete(subscriber)
  }

  takeWork () {
    return [...this.#all].flatMap(({ takeWork }) => takeWork())
  }

  takeSlowest () {
    return [...this.#all].map(({ takeSlowest }) => takeSlowest())
  }

  forgetSlowest () {
    for (const { takeSlowest } of this.#all) takeSlowest()
  }

  /** @param {Stall} stall */
  tell (stall) {
    const [first] = this.#all
    for (const subscriber of this.#all) subscriber.onStall(stall, subscriber === first)
  }
}

module.exports = { createSubscribers }
