'use strict'

// The main thread's end of the admin surface: which applications of this process have one, and what the observer, which
// serves it, may ask each of them.

/** @import { Logger } from '../../../types/diagnostics' */
/** @import { Ask, Tell } from '../../bridge/channel' */
/** @import { AdminSite } from '../../observer/admin/admin' */

/**
 * @typedef {object} SiteAnswers  what only the application's thread knows
 * @property {() => Promise<{ contentType: string, text: string }>} metrics
 * @property {(request: any, scope: string) => Promise<boolean>} authorize
 * @property {Pick<Logger, 'info' | 'warn'>} logger
 * @property {(opened: Opened) => void} onReopened  by an observer that took another one's place
 *
 * @typedef {{ url: string | null, listenProblem: string | null, controlProblem: string | null }} Opened  where the listener listens, and what went wrong
 */

/**
 * @param {object} parts
 * @param {Ask} parts.ask  the observer, once it is ready
 * @param {Tell} parts.tell
 */
function createSites (parts) {
  return new Sites(parts)
}

class Sites {
  #ask
  #tell
  #sequence = 0
  /** @type {Map<number, { settings: Omit<AdminSite, 'id'>, answers: SiteAnswers }>} */
  #sites = new Map()

  /** @param {Parameters<typeof createSites>[0]} parts */
  constructor ({ ask, tell }) {
    this.#ask = ask
    this.#tell = tell
  }

  /**
   * @param {Omit<AdminSite, 'id'>} settings  plain data for the observer
   * @param {SiteAnswers} answers
   * @returns {{ id: number, opened: Promise<Opened>, close: () => void }}
   */
  open (settings, answers) {
    const id = ++this.#sequence
    this.#sites.set(id, { settings, answers })
    return {
      id,
      opened: this.#open(id),
      close: () => {
        if (this.#sites.delete(id)) this.#tell('closeSite', { site: id })
      }
    }
  }

  /** Opens all of them with the observer that runs now. */
  reopen () {
    for (const [id, { answers }] of this.#sites) this.#open(id).then(answers.onReopened, () => {}) // lost again
  }

  /**
   * @param {number} id
   * @returns {Promise<Opened>}
   */
  async #open (id) {
    const site = /** @type {{ settings: Omit<AdminSite, 'id'> }} */ (this.#sites.get(id))
    const opened = await this.#ask('openSite', { site: { ...site.settings, id } })
    // A port that the system chose was told to somebody: it stays the same.
    const { listen } = site.settings
    if (listen !== null && 'port' in listen && listen.port === 0 && opened.url !== null) {
      site.settings = { ...site.settings, worker: null, listen: { ...listen, port: Number(new URL(opened.url).port) } }
    }
    return opened
  }

  /** @param {{ site: number }} about */
  metrics ({ site }) {
    return this.#answersOf(site).metrics()
  }

  /** @param {{ site: number, request: any, scope: string }} about */
  authorize ({ site, request, scope }) {
    return this.#answersOf(site).authorize(request, scope)
  }

  /** @param {{ site: number, level: 'info' | 'warn', fields: object, message: string }} line */
  log ({ site, level, fields, message }) {
    this.#sites.get(site)?.answers.logger[level](fields, message)
  }

  /** @param {number} id */
  #answersOf (id) {
    const { answers } = this.#sites.get(id) ?? {}
    if (answers === undefined) throw new Error(`site ${id} is closed`) // while its last request was on its way
    return answers
  }
}

module.exports = { createSites }
