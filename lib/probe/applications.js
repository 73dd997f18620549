'use strict'

// The applications of this process that have an admin surface. The observer serves it, and requests from the main thread what only the
// application's thread has or may do.

const { URL } = require('../base/globals')

/** @import { Logger } from '../../types/diagnostics' */
/** @import { Findings } from '../../types/findings' */
/** @import { WhatIf, WhatIfOptions } from '../../types/what-if' */
/** @import { Ask, Handlers, Read, Tell } from '../link/channel' */
/** @import { MainReadings, ToMain } from '../link/messages' */
/** @import { AdminApplication } from '../observer/admin/admin' */
/** @import { ProcessReading } from '../shared/findings/readings' */
/** @import { ApplicationMetrics } from '../observer/group/totals' */
/** @import { LoopCounts } from '../shared/rules/conditions' */

/**
 * @typedef {object} ApplicationAnswers  provided only by the application's thread
 * @property {() => Promise<{ contentType: string, text: string }>} metrics
 * @property {() => Promise<{ contentType: string, text: string }>} openMetrics  the same in that format
 * @property {() => Promise<ApplicationMetrics>} metricsReading
 * @property {() => ProcessReading} processReading
 * @property {(question: { needsHeap: boolean }) => LoopCounts} loopCounts  for rules
 * @property {(request: any, scope: string) => Promise<boolean>} authorize
 * @property {Pick<Logger, 'info' | 'warn'>} logger
 * @property {(opened: Opened) => void} onReopened  called when a restarted observer has opened the admin surface again
 *
 * @typedef {object} Opened  the listener's address, and the problems found
 * @property {string | null} url
 * @property {string | null} listenProblem
 * @property {string | null} controlProblem
 */

class Applications {
  #observer
  #sequence = 0
  /** @type {Map<number, { settings: Omit<AdminApplication, 'id'>, answers: ApplicationAnswers }>} */
  #applications = new Map()
  /** Requests and reports from the observer. @type {Pick<Handlers<ToMain>, 'authorize' | 'log'>} */
  handlers
  /** For its readings. @type {Pick<Handlers<MainReadings>, 'metrics' | 'openMetrics' | 'metricsReading' | 'processReading' | 'loopCounts'>} */
  readers = {
    metrics: ({ application }) => this.#answersOf(application).metrics(),
    openMetrics: ({ application }) => this.#answersOf(application).openMetrics(),
    metricsReading: ({ application }) => this.#answersOf(application).metricsReading(),
    processReading: ({ application }) => this.#answersOf(application).processReading(),
    loopCounts: ({ application, question }) => this.#answersOf(application).loopCounts(question)
  }

  /**
   * @param {object} observer
   * @param {Ask} observer.ask  once it is ready
   * @param {Read} observer.read
   * @param {Tell} observer.tell
   * @param {Logger} logger  the process's logger
   */
  constructor (observer, logger) {
    this.#observer = observer
    this.handlers = {
      authorize: ({ application, request, scope }) => this.#answersOf(application).authorize(request, scope),
      log: ({ application, level, fields, message }) => {
        const ownLogger = application === null ? logger : this.#applications.get(application)?.answers.logger
        ownLogger?.[level](fields, message)
      }
    }
  }

  /**
   * @param {Omit<AdminApplication, 'id'>} settings  plain data for the observer
   * @param {ApplicationAnswers} answers
   * @returns {{ id: number, opened: Promise<Opened>, findings: () => Promise<Findings>, whatIf: (wanted: WhatIfOptions) => Promise<WhatIf>, close: (metrics: ApplicationMetrics | null) => void }}
   */
  open (settings, answers) {
    const id = ++this.#sequence
    this.#applications.set(id, { settings, answers })
    return {
      id,
      opened: this.#open(id),
      findings: () => this.#observer.read('findings', { application: id }),
      whatIf: wanted => this.#observer.read('whatIf', { application: id, wanted }),
      close: metrics => {
        if (this.#applications.delete(id)) this.#observer.tell('closeApplication', { application: id, metrics })
      }
    }
  }

  /** Opens all applications in the current observer. */
  reopen () {
    for (const [id, { answers }] of this.#applications) this.#open(id).then(answers.onReopened, () => {}) // lost again
  }

  /** @param {number} id @returns {Promise<Opened>} */
  async #open (id) {
    const application = /** @type {{ settings: Omit<AdminApplication, 'id'> }} */ (this.#applications.get(id))
    const opened = await this.#observer.ask('openApplication', { application: { ...application.settings, id } })
    // A port that the system chose was already reported: it stays the same.
    const { listen } = application.settings
    if (listen !== null && 'port' in listen && listen.port === 0 && opened.url !== null) {
      application.settings = { ...application.settings, worker: null, listen: { ...listen, port: Number(new URL(opened.url).port) } }
    }
    return opened
  }

  /** @param {number} id */
  #answersOf (id) {
    const { answers } = this.#applications.get(id) ?? {}
    if (answers === undefined) throw new Error(`application ${id} is closed`) // while its last request was in flight
    return answers
  }
}

module.exports = { Applications }
