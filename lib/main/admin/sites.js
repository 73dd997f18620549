'use strict'

// The main thread's end of the admin surface: which applications of this process have one, and what the observer, which
// serves it, may ask each of them.

/** @import { Logger } from '../../../types/diagnostics' */

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
 * @param {(question: { type: string } & Record<string, unknown>) => Promise<any>} parts.ask  the observer, once it is ready
 * @param {(message: { type: string } & Record<string, unknown>) => void} parts.send
 */
function createSites (parts) {
  return new Sites(parts)
}

class Sites {
  #ask
  #send
  #sequence = 0
  /** @type {Map<number, { settings: Record<string, unknown>, answers: SiteAnswers }>} */
  #sites = new Map()

  /** @param {Parameters<typeof createSites>[0]} parts */
  constructor ({ ask, send }) {
    this.#ask = ask
    this.#send = send
  }

  /**
   * @param {Record<string, unknown>} settings  plain data for the observer
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
        if (this.#sites.delete(id)) this.#send({ type: 'closeSite', site: id })
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
    const site = /** @type {{ settings: any }} */ (this.#sites.get(id))
    const opened = await this.#ask({ type: 'openSite', site: { ...site.settings, id } })
    // A port that the system chose was told to somebody: it stays the same.
    if (site.settings.listen?.port === 0 && opened.url !== null) site.settings = { ...site.settings, worker: null, listen: { ...site.settings.listen, port: Number(new URL(opened.url).port) } }
    return opened
  }

  /**
   * @param {string} name
   * @param {{ site: number, request?: unknown, scope?: string }} argument
   */
  answer (name, { site, request, scope }) {
    const { answers } = this.#sites.get(site) ?? {}
    if (answers === undefined) throw new Error(`site ${site} is closed`) // while its last request was on its way
    return name === 'metrics' ? answers.metrics() : answers.authorize(request, String(scope))
  }

  /** @param {{ site: number, level: 'info' | 'warn', fields: object, message: string }} line */
  log ({ site, level, fields, message }) {
    this.#sites.get(site)?.answers.logger[level](fields, message)
  }
}

module.exports = { createSites }
