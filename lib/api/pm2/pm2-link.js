'use strict'

// The process's one link to PM2, for all of its applications: sends figures while one of them runs, and answers every action, for the oldest one.

const { setTimeout: sleep } = require('node:timers/promises')
const { errors } = require('../../base/errors')
const { Promise } = require('../../base/globals')
const { guarded, unattended } = require('../../base/guard')
const { monotonicMs } = require('../../base/monotonic')
const { clearInterval, setInterval } = require('../../base/timers')
const { ParentChannel } = require('./parent-channel')
const { ACTIONS, ACTION_NAMES, actionMessage, monitorMessage, readAction, replyMessage } = require('./protocol')
const { FirstFinding, RecentFigures } = require('./recent-figures')

/** @import { ActionName, ActionSubject } from './protocol' */
/** @import { LoopReading } from './recent-figures' */

/** @typedef {ActionSubject & { read: () => Promise<LoopReading> }} Pm2Subject */

// @pm2/io sends every second; no one types `pm2 describe` faster than this.
const PERIOD_MS = 5000
// `pm2 trigger` has no time limit of its own.
const ANSWER_MS = 60_000

class Pm2Link {
  #answerMs
  /** Oldest first. @type {Set<Pm2Subject>} */
  #subjects = new Set()
  #channel = new ParentChannel(message => this.#take(message))
  #isAnnounced = false
  /** @type {NodeJS.Timeout | undefined} */
  #timer
  /** By name. @type {Map<ActionName, Promise<object>>} */
  #underWay = new Map()

  /** @param {number} [answerMs]  how long an action may take before a timeout is answered */
  constructor (answerMs = ANSWER_MS) {
    this.#answerMs = answerMs
  }

  /** @param {Pm2Subject} subject */
  add (subject) {
    this.#subjects.add(subject)
    this.#announce()
    if (this.#timer === undefined) this.#watch()
  }

  /** @param {Pm2Subject} subject */
  delete (subject) {
    this.#subjects.delete(subject)
    if (this.#subjects.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #announce () {
    if (this.#isAnnounced) return
    this.#isAnnounced = true
    if (!this.#channel.start()) return // nothing would answer
    for (const name of ACTION_NAMES) this.#channel.send(actionMessage(name))
  }

  #watch () {
    const figures = new RecentFigures(Date.now())
    const firstFinding = new FirstFinding(() => this.#oldest().findings())
    let isOnItsWay = false
    const send = async () => {
      if (isOnItsWay) return // the daemon does not read
      isOnItsWay = true
      const reading = await this.#oldest().read()
      const rows = figures.take(reading, Date.now())
      const finding = firstFinding.take({ lastStall: reading.stalls[0]?.id ?? 0, atMs: monotonicMs() })
      this.#channel.send(monitorMessage([...rows, finding]), () => { isOnItsWay = false })
    }
    const sendNow = guarded(async () => {
      try {
        await send()
      } catch (error) {
        isOnItsWay = false
        throw error
      }
    })
    sendNow()
    this.#timer = setInterval(sendNow, PERIOD_MS).unref()
  }

  #oldest () {
    const [subject] = this.#subjects
    return subject
  }

  /** @param {unknown} message */
  #take (message) {
    const name = readAction(message)
    if (name !== null) unattended(this.#answer(name))
    return name !== null
  }

  /** @param {ActionName} name */
  async #answer (name) {
    this.#channel.send(replyMessage(name, await this.#resultOf(name), Date.now()))
  }

  /**
   * PM2 takes the first answer of a process as its own: two callers at a time both get the whole answer.
   * @param {ActionName} name
   * @returns {Promise<object>}
   */
  async #resultOf (name) {
    const running = this.#underWay.get(name) ?? this.#run(name)
    this.#underWay.set(name, running)
    try {
      return await running
    } catch (/** @type {any} */ error) {
      return { error: error.message, code: error.code }
    } finally {
      if (this.#underWay.get(name) === running) this.#underWay.delete(name)
    }
  }

  /** @param {ActionName} name @returns {Promise<object>} */
  async #run (name) {
    const subject = this.#oldest()
    if (subject === undefined) throw new errors.ERR_LOOPSCOPE_NOT_RUNNING(`pm2 trigger ${name}`)
    const late = sleep(this.#answerMs, { error: `no answer within ${this.#answerMs / 1e3} s` }, { ref: false })
    return Promise.race([ACTIONS[name](subject), late])
  }
}

module.exports = { Pm2Link }
