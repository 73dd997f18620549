'use strict'

// The requests under way, also while the loop is blocked: the inspector interrupts what runs there. Where nothing can be interrupted (a native call,
// no session), the last reading answers: the application's thread sends one with its notes.

const { setTimeout: sleep } = require('node:timers/promises')
const { SingleFlight } = require('../../base/single-flight')
const { nullWhenBlocked } = require('../../link/main-client')
const { describeInFlight } = require('../../shared/requests/in-flight')
const { goneClients } = require('../connections')

/** @import { Culprit } from '../../../types/diagnostics' */
/** @import { RequestsInFlight as Answer } from '../../../types/requests' */
/** @import { MainClient } from '../../link/main-client' */
/** @import { BlockedStack } from '../../probe/blocked-stack' */
/** @import { InFlightReading } from '../../probe/http/in-flight' */
/** @import { RecorderClient } from '../recorder/recorder-client' */

/** @typedef {{ culprit: Culprit | null }} Running */

const INTERRUPT_MS = 300 // like a question by message (link/main-client.js)

/** @type {InFlightReading} */
const NOTHING = Object.freeze({ atMicros: 0, total: 0, upgraded: 0, running: null, requests: [] })

class RequestsInFlight {
  #parts
  /** @type {{ reading: InFlightReading, running: Running | null } | null} */
  #last = null
  /** An interrupt that has not been answered. @type {Promise<(InFlightReading & { stack: BlockedStack }) | null> | undefined} */
  #interrupt
  #reading = new SingleFlight({ take: () => this.#read() })

  /**
   * @param {object} parts
   * @param {Pick<RecorderClient, 'hasSession' | 'readInFlight'>} parts.recorder
   * @param {Pick<MainClient, 'read'>} parts.main
   * @param {() => number} parts.blockedMs
   * @param {(stack: BlockedStack) => Promise<Running | null>} parts.describeProbe
   */
  constructor (parts) {
    this.#parts = parts
  }

  /** @param {{ inFlight: InFlightReading }} notes  of the application's thread */
  addNotes ({ inFlight }) {
    this.#last = { reading: inFlight, running: null }
  }

  /** @returns {Promise<Answer>} */
  read () {
    return this.#reading.share()
  }

  async #read () {
    const { blockedMs, describeProbe, recorder } = this.#parts
    const reading = recorder.hasSession ? await this.#interrupted() : await this.#asked()
    if (reading === null) return this.#describeLast()
    const running = reading.stack === undefined ? null : await describeProbe(reading.stack)
    this.#last = { reading, running }
    const gone = await goneClients(reading.requests.flatMap(({ peer }) => peer ?? []))
    return describeInFlight(reading, { blockedMs: blockedMs(), running, isGone: ({ peer }) => peer !== null && gone.has(peer) })
  }

  /** @returns {Answer} */
  #describeLast () {
    const known = { isStale: true, blockedMs: this.#parts.blockedMs() }
    if (this.#last === null) return { ...describeInFlight(NOTHING, known), at: null, ageMs: null }
    return describeInFlight(this.#last.reading, { ...known, running: this.#last.running })
  }

  /** @returns {Promise<(InFlightReading & { stack: BlockedStack }) | null>} null: it does not answer now */
  async #interrupted () {
    this.#interrupt ??= this.#parts.recorder.readInFlight().catch(() => null).finally(() => { this.#interrupt = undefined })
    return Promise.race([this.#interrupt, sleep(INTERRUPT_MS, null, { ref: false })])
  }

  /** @returns {Promise<(InFlightReading & { stack?: undefined }) | null>} */
  async #asked () {
    return this.#parts.main.read('requests', {}).catch(nullWhenBlocked)
  }
}

module.exports = { RequestsInFlight }
