'use strict'

// One end of the channel between the threads; both ends are the same. A message of the table (messages.js) is of kind 'tell' (no reply) or 'ask'
// (a reply). The channel answers the other end's requests, and rejects its own when the other end is gone.

const { fromPlain, toPlain } = require('../base/errors')
const { AbortController, Promise } = require('../base/globals')
const { guarded } = require('../base/guard')
const { clearTimeout, setTimeout } = require('../base/timers')

/** @import { MessageKinds, ObserverReadings, ToObserver } from './messages' */

/**
 * @template Messages
 * @template {keyof Messages} Name
 * @typedef {Messages[Name] extends (params: infer Params) => any ? Params : never} Params
 */

/**
 * @template Messages
 * @template {keyof Messages} Name
 * @typedef {Messages[Name] extends (params: any) => Promise<infer Answer> ? Answer : never} Answer
 */

/**
 * @template Returned
 * @typedef {Returned | Awaited<Returned> | Promise<Awaited<Returned>>} NowOrLater
 */

/**
 * The signal is aborted when the caller no longer wants the answer.
 * @template Messages
 * @typedef {{ [Name in keyof Messages]: Messages[Name] extends (params: infer Params) => infer Returned
 *   ? (params: Params, signal: AbortSignal) => NowOrLater<Returned>
 *   : never }} Handlers
 */

/**
 * @template Messages
 * @typedef {{ [Name in keyof Messages]: Messages[Name] extends (params: any) => Promise<any> ? Name : never }[keyof Messages]} AskNames
 */

/**
 * @template Messages
 * @typedef {Exclude<keyof Messages, AskNames<Messages>>} TellNames
 */

/**
 * A request for one reading of a table of readings.
 * @template Readings
 * @typedef {{ [What in keyof Readings]: { what: What, about: Params<Readings, What> } }[keyof Readings]} Question
 */

/**
 * How parts of the main thread send messages to the observer.
 * @typedef {<Name extends AskNames<ToObserver>>(
 *   name: Name, params: Params<ToObserver, Name>, signal?: AbortSignal
 * ) => Promise<Answer<ToObserver, Name>>} Ask
 * @typedef {<Name extends TellNames<ToObserver>>(name: Name, params: Params<ToObserver, Name>) => void} Tell
 * @typedef {<What extends keyof ObserverReadings>(
 *   what: What, about: Params<ObserverReadings, What>
 * ) => Promise<Answer<ObserverReadings, What>>} Read
 */

/**
 * @typedef {{ name: string, params: any, id?: number }} Message  with an id if it expects an answer
 * @typedef {{ answers: number, value?: any, error?: { message: string, code?: string } }} AnswerMessage
 * @typedef {{ cancels: number, reason: string }} CancelMessage  the answer is no longer wanted
 * @typedef {Message | AnswerMessage | CancelMessage} Envelope  everything that is posted
 */

// For 'tell' messages: they have no answer to cancel.
const NEVER_ABORTED = new AbortController().signal

/** @template Out @template In */
class Channel {
  #post
  #sends
  #handlers
  #sequence = 0
  /** Requests of this end. @type {Map<number, { resolve: (value: any) => void, reject: (error: Error) => void }>} */
  #waiting = new Map()
  /** Requests of the other end. @type {Map<number, AbortController>} */
  #underWay = new Map()

  /** @param {{ post: (envelope: Envelope) => void, sends: MessageKinds<Out>, handlers: Handlers<In> }} parts */
  constructor ({ post, sends, handlers }) {
    this.#post = post
    this.#sends = sends
    this.#handlers = /** @type {Record<string, (params: any, signal: AbortSignal) => any>} */ (handlers)
  }

  /** @template {TellNames<Out>} Name @param {Name} name @param {Params<Out, Name>} params */
  tell (name, params) {
    this.#check(name, 'tell')
    this.#post({ name: String(name), params })
  }

  /**
   * @template {AskNames<Out>} Name
   * @param {Name} name
   * @param {Params<Out, Name>} params
   * @param {AbortSignal} [signal]  cancels the request: the other end decides what that means
   * @returns {Promise<Answer<Out, Name>>}
   */
  async ask (name, params, signal) {
    const { id, answer } = this.#send(name, params)
    const cancel = guarded(() => this.#post({ cancels: id, reason: String(signal?.reason) }))
    if (signal?.aborted) cancel()
    signal?.addEventListener('abort', cancel, { once: true })
    return answer.finally(() => signal?.removeEventListener('abort', cancel))
  }

  /**
   * ask() with a time limit, for an end that may never answer.
   * @template {AskNames<Out>} Name
   * @param {Name} name
   * @param {Params<Out, Name>} params
   * @param {number} maxMs
   * @param {() => Error} lateError  the error after the limit; a later answer is ignored
   * @returns {Promise<Answer<Out, Name>>}
   */
  async askWithin (name, params, maxMs, lateError) {
    const { id, answer } = this.#send(name, params)
    const timer = setTimeout(guarded(() => {
      const error = lateError()
      this.#settle({ answers: id, error: toPlain(error) })
      this.#post({ cancels: id, reason: error.message })
    }), maxMs)
    return answer.finally(() => clearTimeout(timer))
  }

  /**
   * Call it with each message that the other end posts.
   * @param {Envelope} envelope
   * @returns {void | Promise<void>} throws, or rejects, for a 'tell' message whose handler fails
   */
  receive (envelope) {
    if ('answers' in envelope) return this.#settle(envelope)
    if ('cancels' in envelope) return this.#cancel(envelope)
    const { name, params, id } = envelope
    if (id !== undefined) return this.#answer(id, name, params)
    return this.#handlerOf(name)(params, NEVER_ABORTED)
  }

  /** Call it when the other end is gone: pending requests are rejected. @param {Error} error */
  close (error) {
    for (const { reject } of this.#waiting.values()) reject(error)
    this.#waiting.clear()
  }

  /**
   * @template {AskNames<Out>} Name
   * @param {Name} name
   * @param {Params<Out, Name>} params
   * @returns {{ id: number, answer: Promise<any> }}
   */
  #send (name, params) {
    this.#check(name, 'ask')
    const id = ++this.#sequence
    this.#post({ name: String(name), params, id })
    return { id, answer: new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject })) }
  }

  /** @param {{ cancels: number, reason: string }} frame */
  #cancel ({ cancels, reason }) {
    this.#underWay.get(cancels)?.abort(reason)
    this.#underWay.delete(cancels)
  }

  /** @param {number} id @param {string} name @param {any} params */
  async #answer (id, name, params) {
    const controller = new AbortController()
    this.#underWay.set(id, controller)
    try {
      this.#post({ answers: id, value: await this.#handlerOf(name)(params, controller.signal) })
    } catch (error) {
      this.#post({ answers: id, error: toPlain(error) })
    } finally {
      this.#underWay.delete(id)
    }
  }

  /** @param {AnswerMessage} message */
  #settle ({ answers, value, error }) {
    const waiting = this.#waiting.get(answers)
    this.#waiting.delete(answers)
    if (error === undefined) waiting?.resolve(value)
    else waiting?.reject(fromPlain(error))
  }

  /** @param {string} name */
  #handlerOf (name) {
    if (!Object.hasOwn(this.#handlers, name)) throw new TypeError(`no such message: ${name}`)
    return this.#handlers[name]
  }

  /** @param {keyof Out} name @param {'tell' | 'ask'} kind */
  #check (name, kind) {
    if (this.#sends[name] !== kind) throw new TypeError(`no message to ${kind}: ${String(name)}`)
  }
}

/**
 * Creates the handler of a message that requests readings.
 * @template Readings
 * @param {Handlers<Readings>} readers  each by the name of its reading
 * @returns {(question: Question<Readings>, signal: AbortSignal) => unknown}
 */
function readBy (readers) {
  return ({ what, about }, signal) => {
    const read = /** @type {(about: unknown, signal: AbortSignal) => unknown} */ (readers[what])
    return read(about, signal)
  }
}

module.exports = { Channel, readBy }
