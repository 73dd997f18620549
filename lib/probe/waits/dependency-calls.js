'use strict'

// The calls that the application makes to what it depends on: databases, caches, other services. Their libraries, and Node.js, report them on diagnostics
// channels; nothing is patched. Here they are timed: one number and one duration a call, handed over to the observer, which counts them; and those of a
// request are noted for it.

const { subscribe, unsubscribe } = require('node:diagnostics_channel')
const { reportFault } = require('../../base/guard')
const { monotonicMicros } = require('../../base/monotonic')
const { CallNames, NamesOfKind } = require('./call-names')
const { LIBRARIES } = require('./libraries')
const { RequestWaits } = require('./request-waits')

/** @import { Holder, RequestContext } from '../http/contexts/one-request' */
/** @import { RouteContext } from '../http/contexts/route-context' */
/** @import { CallName } from './call-names' */

// Two numbers each: 64 KB. What comes between two ticks at 100,000 calls a second is a half of it.
const MAX_CALLS = 4096

/**
 * @typedef {object} Call  under way
 * @property {number} name
 * @property {number} fromMicros
 * @property {ReturnType<RequestWaits['begin']>} wait  of its request
 * @property {Holder | undefined} holder  of its request
 * @property {boolean} isOpen
 *
 * @typedef {object} CallBatch  what is handed over
 * @property {number} firstName
 * @property {CallName[]} names  from that number on: new ones
 * @property {Float64Array} calls  that have ended, two numbers each: twice the number of the name, one more for an error; microseconds
 */

class DependencyCalls {
  #context
  #onFull
  #names = new CallNames()
  #toldNames = 0
  #batch = new Float64Array(2 * MAX_CALLS)
  #length = 0
  /** While it runs. @type {(() => void)[]} */
  #ends = []

  /**
   * @param {object} parts
   * @param {Pick<RouteContext, 'current' | 'restoreOn'>} parts.context
   * @param {() => void} parts.onFull  a batch is to be taken now
   */
  constructor ({ context, onFull }) {
    this.#context = context
    this.#onFull = onFull
  }

  /** So many that they should not wait for the next window. */
  get isMuch () { return this.#length > this.#batch.length / 2 }

  get length () { return this.#length / 2 }

  start () {
    if (this.#ends.length > 0) return
    for (const { listen } of LIBRARIES) this.#ends.push(...listen(this))
  }

  stop () {
    for (const end of this.#ends.splice(0)) end()
  }

  /** @param {ConstructorParameters<typeof NamesOfKind>[1]} kind */
  namesOf (kind) {
    return new NamesOfKind(this.#names, kind)
  }

  /**
   * @param {string} channel
   * @param {(message: any) => void} listener  called for each call of the application: what it throws is reported, and not thrown there
   * @returns {() => void} ends it
   */
  listen (channel, listener) {
    const onMessage = (/** @type {unknown} */ message) => {
      try {
        listener(message)
      } catch (error) {
        reportFault(error)
      }
    }
    subscribe(channel, onMessage)
    return () => { unsubscribe(channel, onMessage) }
  }

  /**
   * @param {string} channel  of which listeners, and what is run with a message, are to work for the request of the call in it
   * @param {(message: any) => Call | undefined} callOf
   * @returns {() => void} ends it
   */
  restoreRequest (channel, callOf) {
    return this.#context.restoreOn(channel, message => callOf(message)?.holder)
  }

  /** @returns {RequestContext | null} that the running code works for, while it is not answered */
  request () {
    const context = this.#context.current()
    return context === undefined || context.startMicros === 0 ? null : context
  }

  /**
   * @param {number} name
   * @param {RequestContext | null} [context]  of the request that it is for
   * @returns {Call}
   */
  begin (name, context = this.request()) {
    const fromMicros = monotonicMicros()
    return { name, fromMicros, wait: context === null ? null : this.#waitOf(context, name, fromMicros), holder: context?.holder, isOpen: true }
  }

  /**
   * @param {RequestContext} context
   * @param {number} name
   * @param {number} micros
   */
  #waitOf (context, name, micros) {
    const waits = context.waits ??= new RequestWaits(this)
    return waits.owner === this ? waits.begin(name, micros) : null
  }

  /**
   * @param {Call} call  that may have ended before
   * @param {boolean} isError
   */
  end (call, isError) {
    if (!call.isOpen) return
    call.isOpen = false
    const { name, fromMicros, wait } = call
    const micros = monotonicMicros()
    wait?.end(micros, isError)
    this.#batch[this.#length++] = 2 * name + (isError ? 1 : 0)
    this.#batch[this.#length++] = micros - fromMicros
    if (this.#length === this.#batch.length) this.#onFull()
  }

  /**
   * A call of which the name was not known before its end.
   * @param {number} name
   * @param {number} fromMicros
   * @param {boolean} isError
   * @param {RequestContext | null} context  of the request that it was for
   */
  note (name, fromMicros, isError, context) {
    const wait = context === null ? null : this.#waitOf(context, name, fromMicros)
    this.end({ name, fromMicros, wait, holder: undefined, isOpen: true }, isError)
  }

  /**
   * @param {RequestContext} context  of a request that is answered
   * @param {number} toMicros
   */
  waitsOf ({ waits }, toMicros) {
    return waits?.owner === this ? waits.read(toMicros) : []
  }

  /** @returns {CallBatch} what was not handed over yet */
  take () {
    const firstName = this.#toldNames
    const names = this.#names.list.slice(firstName)
    this.#toldNames += names.length
    const calls = this.#batch.slice(0, this.#length)
    this.#length = 0
    return { firstName, names, calls }
  }

  /** To be called for a new observer: all names are handed over again. */
  forgetTold () {
    this.#toldNames = 0
  }
}

module.exports = { DependencyCalls }
