'use strict'

// The admin surface's end on the main thread: the observer serves it, and needs the main thread for what only the application's thread has or
// may do.

const { createRelaySender } = require('../../bridge/relay')

/** @import { Logger } from '../../../types/diagnostics' */
/** @import { Findings } from '../../../types/findings' */
/** @import { Ask, Handlers, Params, Tell } from '../../bridge/channel' */
/** @import { ToMain } from '../../bridge/messages' */
/** @import { AdminApplication } from '../../observer/admin/admin' */
/** @import { ProcessReading } from '../../shared/findings/readings' */
/** @import { ApplicationMetrics } from '../../shared/group/metrics/totals' */
/** @import { LoopCounts } from '../../shared/rules/conditions' */

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
 * @param {Logger} parts.logger  of the process
 */
function createAdminServing (parts) {
  const applications = new Applications(parts)
  return {
    relay: createRelaySender(parts),
    applications,
    /** For what the observer says and asks of it. @type {Pick<Handlers<ToMain>, 'log' | 'loopCounts' | 'metrics' | 'openMetrics' | 'metricsReading' | 'processReading' | 'authorize'>} */
    handlers: {
      log: line => applications.log(line),
      metrics: params => applications.metrics(params),
      openMetrics: params => applications.openMetrics(params),
      metricsReading: params => applications.metricsReading(params),
      processReading: params => applications.processReading(params),
      loopCounts: params => applications.loopCounts(params),
      authorize: params => applications.authorize(params)
    }
  }
}

/** Which applications of this process have an admin surface, and what the observer, which serves it, may ask each of them. */
class Applications {
  #ask
  #tell
  #logger
  #sequence = 0
  /** @type {Map<number, { settings: Omit<AdminApplication, 'id'>, answers: ApplicationAnswers }>} */
  #applications = new Map()

  /** @param {Parameters<typeof createAdminServing>[0]} parts */
  constructor ({ ask, tell, logger }) {
    this.#ask = ask
    this.#tell = tell
    this.#logger = logger
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

  /** @param {Params<ToMain, 'log'>} line */
  log ({ application, level, fields, message }) {
    const logger = application === null ? this.#logger : this.#applications.get(application)?.answers.logger
    logger?.[level](fields, message)
  }

  /** @param {number} id */
  #answersOf (id) {
    const { answers } = this.#applications.get(id) ?? {}
    if (answers === undefined) throw new Error(`application ${id} is closed`) // while its last request was on its way
    return answers
  }
}

module.exports = { Applications, createAdminServing }
