'use strict'

// The main thread's end of the admin surface: which applications of this process have one, and what the observer, which
// serves it, may ask each of them.

/** @import { Logger } from '../../../types/diagnostics' */
/** @import { Ask, Tell } from '../../bridge/channel' */
/** @import { Findings } from '../../../types/findings' */
/** @import { ProcessReading } from '../../shared/findings/readings' */
/** @import { LoopCounts } from '../../shared/rules/conditions' */
/** @import { ApplicationMetrics } from '../../shared/group/metrics/totals' */
/** @import { AdminApplication } from '../../observer/admin/admin' */

/**
 * @typedef {object} ApplicationAnswers  what only the application's thread knows
 * @property {() => Promise<{ contentType: string, text: string }>} metrics
 * @property {() => Promise<{ contentType: string, text: string }>} openMetrics  the same in that format
 * @property {() => Promise<ApplicationMetrics>} metricsReading
 * @property {() => ProcessReading} processReading
 * @property {(question: { needsHeap: boolean }) => LoopCounts} loopCounts  for rules
 * @property {(request: any, scope: string) => Promise<boolean>} authorize
 * @property {Pick<Logger, 'info' | 'warn'>} logger
 * @property {(opened: Opened) => void} onReopened  by an observer that took another one's place
 *
 * @typedef {object} Opened  where the listener listens, and what went wrong
 * @property {string | null} url
 * @property {string | null} listenProblem
 * @property {string | null} controlProblem
 */

/**
 * @param {object} parts
 * @param {Ask} parts.ask  the observer, once it is ready
 * @param {Tell} parts.tell
 */
function createApplications (parts) {
  return new Applications(parts)
}

class Applications {
  #ask
  #tell
  #sequence = 0
  /** @type {Map<number, { settings: Omit<AdminApplication, 'id'>, answers: ApplicationAnswers }>} */
  #applications = new Map()

  /** @param {Parameters<typeof createApplications>[0]} parts */
  constructor ({ ask, tell }) {
    this.#ask = ask
    this.#tell = tell
  }

  /**
   * @param {Omit<AdminApplication, 'id'>} settings  plain data for the observer
   * @param {ApplicationAnswers} answers
   * @returns {{ id: number, opened: Promise<Opened>, findings: () => Promise<Findings>, close: (metrics: ApplicationMetrics | null) => void }}
   */
  open (settings, answers) {
    const id = ++this.#sequence
    this.#applications.set(id, { settings, answers })
    return {
      id,
      opened: this.#open(id),
      findings: () => this.#ask('findings', { application: id }),
      close: metrics => {
        if (this.#applications.delete(id)) this.#tell('closeApplication', { application: id, metrics })
      }
    }
  }

  /** Opens all of them with the observer that runs now. */
  reopen () {
    for (const [id, { answers }] of this.#applications) this.#open(id).then(answers.onReopened, () => {}) // lost again
  }

  /**
   * @param {number} id
   * @returns {Promise<Opened>}
   */
  async #open (id) {
    const application = /** @type {{ settings: Omit<AdminApplication, 'id'> }} */ (this.#applications.get(id))
    const opened = await this.#ask('openApplication', { application: { ...application.settings, id } })
    // A port that the system chose was told to somebody: it stays the same.
    const { listen } = application.settings
    if (listen !== null && 'port' in listen && listen.port === 0 && opened.url !== null) {
      application.settings = { ...application.settings, worker: null, listen: { ...listen, port: Number(new URL(opened.url).port) } }
    }
    return opened
  }

  /** @param {{ application: number }} about */
  metrics ({ application }) {
    return this.#answersOf(application).metrics()
  }

  /** @param {{ application: number }} about */
  openMetrics ({ application }) {
    return this.#answersOf(application).openMetrics()
  }

  /** @param {{ application: number }} about */
  metricsReading ({ application }) {
    return this.#answersOf(application).metricsReading()
  }

  /** @param {{ application: number }} about */
  async processReading ({ application }) {
    return this.#answersOf(application).processReading()
  }

  /** @param {{ application: number, question: { needsHeap: boolean } }} about */
  async loopCounts ({ application, question }) {
    return this.#answersOf(application).loopCounts(question)
  }

  /** @param {{ application: number, request: any, scope: string }} about */
  authorize ({ application, request, scope }) {
    return this.#answersOf(application).authorize(request, scope)
  }

  /** @param {{ application: number, level: 'info' | 'warn', fields: object, message: string }} line */
  log ({ application, level, fields, message }) {
    this.#applications.get(application)?.answers.logger[level](fields, message)
  }

  /** @param {number} id */
  #answersOf (id) {
    const { answers } = this.#applications.get(id) ?? {}
    if (answers === undefined) throw new Error(`application ${id} is closed`) // while its last request was on its way
    return answers
  }
}

module.exports = { createApplications }
