'use strict'

// One end of the way between the threads, the same at both: says and asks what the table of messages (messages.js) has, answers what the
// other end asks, and refuses those who wait when the other end is gone.

const { fromPlain, toPlain } = require('../shared/base/errors')
const { guarded } = require('../shared/base/guard')

/** @import { Manners, ToObserver } from './messages' */

/**
 * @template Messages
 * @typedef {{ [Name in keyof Messages]: Messages[Name] extends (about: infer About) => infer Answer ? (about: About, signal: AbortSignal) => Answer | Awaited<Answer> | Promise<Awaited<Answer>> : never }} Handlers
 *   the signal is aborted when the one who asked no longer wants the answer
 */

/**
 * @template Messages
 * @template {keyof Messages} Name
 * @typedef {Messages[Name] extends (about: infer About) => any ? About : never} About
 */

/**
 * @template Messages
 * @template {keyof Messages} Name
 * @typedef {Messages[Name] extends (about: any) => Promise<infer Answer> ? Answer : never} Answer
 */

/**
 * @template Messages
 * @typedef {{ [Name in keyof Messages]: Messages[Name] extends (about: any) => Promise<any> ? Name : never }[keyof Messages]} Asked
 */

/**
 * @template Messages
 * @typedef {Exclude<keyof Messages, Asked<Messages>>} Told
 */

/**
 * How parts of the main thread speak to the observer.
 * @typedef {<Name extends Asked<ToObserver>>(name: Name, about: About<ToObserver, Name>, signal?: AbortSignal) => Promise<Answer<ToObserver, Name>>} Ask
 * @typedef {<Name extends Told<ToObserver>>(name: Name, about: About<ToObserver, Name>) => void} Tell
 */

/**
 * What passes: a message, a message that is answered, its answer, or word that nobody wants the answer any more.
 * @typedef {{ name: string, about: any, id?: number } | { answers: number, value?: any, error?: { message: string, code?: string } } | { cancels: number, reason: string }} Frame
 */

// For what nobody waits for.
const NEVER = new AbortController().signal

/**
 * @template Out
 * @template In
 */
class Channel {
  #post
  #sends
  #handlers
  #sequence = 0
  /** Asked here. @type {Map<number, { resolve: (value: any) => void, reject: (error: Error) => void }>} */
  #waiting = new Map()
  /** Asked there. @type {Map<number, AbortController>} */
  #underWay = new Map()

  /**
   * @param {object} parts
   * @param {(frame: Frame) => void} parts.post
   * @param {Manners<Out>} parts.sends
   * @param {Handlers<In>} parts.handlers
   */
  constructor ({ post, sends, handlers }) {
    this.#post = post
    this.#sends = sends
    this.#handlers = /** @type {Record<string, (about: any, signal: AbortSignal) => any>} */ (handlers)
  }

  /**
   * @template {Told<Out>} Name
   * @param {Name} name
   * @param {About<Out, Name>} about
   */
  tell (name, about) {
    this.#check(name, 'told')
    this.#post({ name: String(name), about })
  }

  /**
   * @template {Asked<Out>} Name
   * @param {Name} name
   * @param {About<Out, Name>} about
   * @param {AbortSignal} [signal]  tells the other end that the answer is no longer wanted; it says what comes of that
   * @returns {Promise<Answer<Out, Name>>}
   */
  async ask (name, about, signal) {
    const { id, answer } = this.#put(name, about)
    const cancel = guarded(() => this.#post({ cancels: id, reason: String(signal?.reason) }))
    if (signal?.aborted) cancel()
    signal?.addEventListener('abort', cancel, { once: true })
    return answer.finally(() => signal?.removeEventListener('abort', cancel))
  }

  /**
   * The same of one who may never answer.
   * @template {Asked<Out>} Name
   * @param {Name} name
   * @param {About<Out, Name>} about
   * @param {number} maxMs
   * @param {() => Error} lateError  what it rejects with then; an answer that comes later changes nothing
   * @returns {Promise<Answer<Out, Name>>}
   */
  async askWithin (name, about, maxMs, lateError) {
    const { id, answer } = this.#put(name, about)
    const timer = setTimeout(guarded(() => {
      const error = lateError()
      this.#settle({ answers: id, error: toPlain(error) })
      this.#post({ cancels: id, reason: error.message })
    }), maxMs)
    return answer.finally(() => clearTimeout(timer))
  }

  /**
   * To be called with what the other end posts.
   * @param {Frame} frame
   * @returns {void | Promise<void>} throws, or rejects, for a message that is only told and fails here
   */
  receive (frame) {
    if ('answers' in frame) return this.#settle(frame)
    if ('cancels' in frame) return this.#cancel(frame)
    const { name, about, id } = frame
    if (id !== undefined) return this.#answer(id, name, about)
    return this.#handlerOf(name)(about, NEVER)
  }

  /**
   * The other end is gone: what was asked of it is refused.
   * @param {Error} error
   */
  close (error) {
    for (const { reject } of this.#waiting.values()) reject(error)
    this.#waiting.clear()
  }

  /**
   * @template {Asked<Out>} Name
   * @param {Name} name
   * @param {About<Out, Name>} about
   * @returns {{ id: number, answer: Promise<any> }}
   */
  #put (name, about) {
    this.#check(name, 'asked')
    const id = ++this.#sequence
    this.#post({ name: String(name), about, id })
    return { id, answer: new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject })) }
  }

  /** @param {{ cancels: number, reason: string }} frame */
  #cancel ({ cancels, reason }) {
    this.#underWay.get(cancels)?.abort(reason)
    this.#underWay.delete(cancels)
  }

  /**
   * @param {number} id
   * @param {string} name
   * @param {any} about
   */
  async #answer (id, name, about) {
    const controller = new AbortController()
    this.#underWay.set(id, controller)
    try {
      this.#post({ answers: id, value: await this.#handlerOf(name)(about, controller.signal) })
    } catch (error) {
      this.#post({ answers: id, error: toPlain(error) })
    } finally {
      this.#underWay.delete(id)
    }
  }

  /** @param {{ answers: number, value?: any, error?: { message: string, code?: string } }} answer */
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

  /**
   * @param {keyof Out} name
   * @param {'told' | 'asked'} manner
   */
  #check (name, manner) {
    if (this.#sends[name] !== manner) throw new TypeError(`no message that is ${manner}: ${String(name)}`)
  }
}

module.exports = { Channel }
