'use strict'

// Times the calls that the application makes to its dependencies: databases, caches, other services. Their libraries, and Node.js, report them on
// diagnostics channels; nothing is patched. Each call is one number and one duration, sent to the observer, which counts them; the calls of a
// request are also noted for it.

const { subscribe, unsubscribe } = require('node:diagnostics_channel')
const { reportFault } = require('../../base/guard')
const { monotonicMicros } = require('../../base/monotonic')
const { ACQUIRE, CallNames, NamesOfKind } = require('./call-names')
const { LIBRARIES } = require('./libraries')
const { RequestWaits } = require('./request-waits')

/** @import { Holder, RequestContext } from '../http/contexts/one-request' */
/** @import { RouteContext } from '../http/contexts/route-context' */
/** @import { Wait } from './await-sample' */
/** @import { AwaitSampler } from './await-sampler' */
/** @import { CallName } from './call-names' */

// Two numbers each: 64 KB. Between two ticks at 100,000 calls a second it is half full.
const MAX_CALLS = 4096

/**
 * @typedef {object} Call  in flight
 * @property {number} name
 * @property {number} fromMicros
 * @property {ReturnType<RequestWaits['begin']>} wait  of its request
 * @property {Wait | null} line  where it was made; null: its request is not sampled
 * @property {Holder | undefined} holder  of its request
 * @property {boolean} isOpen
 * @property {boolean} [isUnsent]  it has no connection yet
 *
 * @typedef {CallName & { calls: number, sinceMicros: number }} OpenCall  calls of one name that a request waits for
 *
 * @typedef {object} CallBatch  what is sent to the observer
 * @property {number} firstName
 * @property {CallName[]} names  from that number on: new ones
 * @property {Float64Array} calls  ended calls, two numbers each: twice the number of the name, plus one for an error; microseconds
 */

class DependencyCalls {
  #context
  #onFull
  #awaits
  #names = new CallNames()
  #sentNames = 0
  #batch = new Float64Array(2 * MAX_CALLS)
  #length = 0
  /** What ends each subscription. @type {(() => void)[]} */
  #ends = []

  /**
   * @param {object} parts
   * @param {Pick<RouteContext, 'current' | 'restoreOn'>} parts.context
   * @param {() => void} parts.onFull  a batch must be taken now
   * @param {Pick<AwaitSampler, 'beginCall'>} [parts.awaits]
   */
  constructor ({ context, onFull, awaits }) {
    this.#context = context
    this.#onFull = onFull
    this.#awaits = awaits
  }

  /** So many calls that they should not wait for the next window. */
  get isHalfFull () { return this.#length > this.#batch.length / 2 }

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
   * @param {(message: any) => void} listener  called for each call of the application: its errors are reported, and not thrown into the call
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
   * @param {string} channel  whose listeners, and the functions run with a message, run in the context of that call's request
   * @param {(message: any) => Call | undefined} callOf
   * @returns {() => void} ends it
   */
  restoreRequest (channel, callOf) {
    return this.#context.restoreOn(channel, message => callOf(message)?.holder)
  }

  /** @returns {RequestContext | null} of the running code, until it is answered */
  request () {
    return underWay(this.#context.current())
  }

  /**
   * @param {number} name
   * @param {RequestContext | null} [known]  its request, where the code that made the call is not running any more
   * @returns {Call}
   */
  begin (name, known) {
    const context = known === undefined ? this.request() : known
    const fromMicros = monotonicMicros()
    const wait = context === null ? null : this.#waitOf(context, name, fromMicros)
    const line = context === null || known !== undefined ? null : this.#awaits?.beginCall(context, this.#names.list[name].kind) ?? null
    return { name, fromMicros, wait, line, holder: context?.holder, isOpen: true }
  }

  /**
   * Begins a call that has no connection yet: until it is sent, its request waits for one.
   * @param {number} name
   * @returns {Call}
   */
  beginUnsent (name) {
    const call = { ...this.begin(name), isUnsent: true }
    if (call.wait !== null) call.wait.unsent++
    return call
  }

  /** @param {Call} call */
  noteSent (call) {
    if (call.isUnsent !== true) return
    call.isUnsent = false
    if (call.wait !== null) call.wait.unsent--
  }

  /** @param {RequestContext} context @param {number} name @param {number} micros */
  #waitOf (context, name, micros) {
    const waits = context.waits ??= new RequestWaits(this)
    return waits.owner === this ? waits.begin(name, micros) : null
  }

  /**
   * @param {Call} call  may have ended before
   * @param {boolean} isError
   */
  end (call, isError) {
    if (!call.isOpen) return
    call.isOpen = false
    this.noteSent(call)
    const { name, fromMicros, wait, line } = call
    const micros = monotonicMicros()
    if (line !== null && !line.sample.isOver) line.toMicros = micros
    wait?.end(micros, isError)
    this.#batch[this.#length++] = 2 * name + (isError ? 1 : 0)
    this.#batch[this.#length++] = micros - fromMicros
    if (this.#length === this.#batch.length) this.#onFull()
  }

  /**
   * Ends the wait for a connection, and begins the call that has it now.
   * @param {Call} acquire
   * @param {number} name
   * @returns {Call}
   */
  goOn (acquire, name) {
    const { line, holder } = acquire
    acquire.line = null // the code that waits is the same
    this.end(acquire, false)
    return { ...this.begin(name, underWay(holder?.context)), line }
  }

  /**
   * Records that a call had no connection until now, where that is known only now.
   * @param {Call} call
   * @param {number} acquire  the number of the name
   */
  noteAcquired (call, acquire) {
    this.note(acquire, call.fromMicros, false, underWay(call.holder?.context))
    call.fromMicros = monotonicMicros()
    call.wait?.beginAgain(call.fromMicros)
  }

  /**
   * Records a call whose name is available only at its end.
   * @param {number} name
   * @param {number} fromMicros
   * @param {boolean} isError
   * @param {RequestContext | null} context  of its request
   */
  note (name, fromMicros, isError, context) {
    const wait = context === null ? null : this.#waitOf(context, name, fromMicros)
    this.end({ name, fromMicros, wait, line: null, holder: undefined, isOpen: true }, isError)
  }

  /**
   * @param {RequestContext} context  of a request that is answered
   * @param {number} toMicros
   */
  waitsOf ({ waits }, toMicros) {
    return waits?.owner === this ? waits.read(toMicros) : []
  }

  /** @param {RequestContext} context @returns {OpenCall[]} what it waits for now, longest first */
  openOf ({ waits }) {
    if (waits?.owner !== this) return []
    return waits.open().map(({ name, isUnsent, ...since }) => ({ ...this.#names.list[name], ...isUnsent && { operation: ACQUIRE }, ...since })).sort((left, right) => left.sinceMicros - right.sinceMicros)
  }

  /** @returns {CallBatch} what was not sent yet */
  take () {
    const firstName = this.#sentNames
    const names = this.#names.list.slice(firstName)
    this.#sentNames += names.length
    const calls = this.#batch.slice(0, this.#length)
    this.#length = 0
    return { firstName, names, calls }
  }

  /** Call it after an observer restart: all names are sent again. */
  forgetSent () {
    this.#sentNames = 0
  }
}

/**
 * @param {RequestContext | undefined} context
 * @returns {RequestContext | null} null: its request is answered
 */
function underWay (context) {
  return context === undefined || context.startMicros === 0 ? null : context
}

module.exports = { DependencyCalls }
