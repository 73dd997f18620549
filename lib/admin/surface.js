'use strict'

// The admin surface of one application, on its main thread: the settings, the mounted door, what the observer may ask, and
// the one line that tells a developer where it is. The observer serves it.

const { threadId } = require('node:worker_threads')
const { errors } = require('../internal/errors')
const { unattended } = require('../internal/guard')
const { warnOnce } = require('../internal/warnings')
const { createAnnouncement } = require('./announcement')
const { chooseControlDirectory } = require('./control-directory')
const { createMount } = require('./mount')
const { adminSettings } = require('./settings')

/** @import { IncomingMessage, ServerResponse } from 'node:http' */
/** @import { Logger } from '../../types/diagnostics' */
/** @import { ResolvedOptions } from '../options' */
/** @import { Registry } from 'prom-client' */

/** @typedef {ReturnType<typeof import('./sites').createSites>} Sites */
/** @typedef {ReturnType<typeof import('./relay').createRelay>} Relay */

/**
 * @param {object} parts
 * @param {ResolvedOptions} parts.options
 * @param {Registry} parts.registry
 * @param {Logger} parts.logger
 * @param {string} parts.appName
 * @param {string} parts.appRoot
 * @param {string} parts.version
 * @param {number} parts.workerOffset  of a cluster worker
 */
function createSurface (parts) {
  return new Surface(parts)
}

class Surface {
  #parts
  #site
  #bootToken
  #mount
  /** @type {ReturnType<Sites['open']> | undefined} */
  #opened
  /** @type {Relay | undefined} */
  #relay
  /** @type {ReturnType<typeof createAnnouncement> | undefined} */
  #announcement

  /** @param {Parameters<typeof createSurface>[0]} parts */
  constructor (parts) {
    const { options } = parts
    const { site, bootToken } = adminSettings(options, parts)
    this.#parts = parts
    this.#site = site
    this.#bootToken = bootToken
    this.#mount = options.path === false || !isReachable(site)
      ? null
      : createMount({ path: options.path, forward: (request, signal) => this.#forward(request, signal) })
  }

  /** Takes a request that is for the admin surface; null when nothing is mounted. After stop() they are the application's. */
  get take () {
    const mount = this.#mount
    if (mount === null) return null
    return (/** @type {IncomingMessage} */ request, /** @type {ServerResponse} */ response) => this.#opened !== undefined && mount.take(request, response)
  }

  /**
   * @param {object} observer
   * @param {Sites} observer.sites
   * @param {Relay} observer.relay
   * @param {boolean} observer.isMounted  requests can come in through the application
   */
  start ({ sites, relay, isMounted }) {
    const { options, appName, appRoot, version } = this.#parts
    this.#relay = relay
    this.#opened = sites.open({
      ...this.#site,
      appName,
      appRoot,
      version,
      startedAt: Math.round(performance.timeOrigin),
      dir: options.dir,
      retention: options.retention,
      heap: options.heap,
      // Threads share the process's id, which names the socket.
      controlDir: options.controlSocket && threadId === 0 ? chooseControlDirectory(options.runtimeFolder) : null
    }, {
      metrics: () => this.#metrics(),
      authorize: (request, scope) => this.#authorize(request, scope),
      logger: this.#parts.logger,
      onReopened: opened => this.#tellOpened(opened)
    })
    unattended(this.#tellWhere(isMounted && this.#mount !== null, this.#opened.opened))
  }

  stop () {
    this.#announcement?.stop()
    this.#opened?.close()
    this.#opened = undefined
  }

  /**
   * @param {boolean} isMounted
   * @param {Promise<import('./sites').Opened>} opened
   */
  async #tellWhere (isMounted, opened) {
    this.#announcement = createAnnouncement({ logger: this.#parts.logger, path: this.#site.basePath, token: this.#bootToken })
    try {
      if (isMounted && this.#site.listen === null) this.#announcement.start()
      this.#tellOpened(await opened)
    } catch {} // without an observer there is no surface, which was warned of
  }

  /** @param {import('./sites').Opened} opened */
  #tellOpened ({ url, listenProblem, controlProblem }) {
    const { logger, options } = this.#parts
    if (listenProblem !== null) warnOnce(logger, 'LOOPSCOPE_WARN_LISTENER', `${JSON.stringify(options.admin.listen)}: ${listenProblem}`)
    if (controlProblem !== null) warnOnce(logger, 'LOOPSCOPE_WARN_CONTROL_SOCKET', controlProblem)
    if (url !== null) this.#announcement?.tell(url, '/')
  }

  /**
   * @param {import('./router').AdminRequest} request
   * @param {AbortSignal} signal
   */
  async #forward (request, signal) {
    if (this.#opened === undefined || this.#relay === undefined) throw new errors.ERR_LOOPSCOPE_NOT_RUNNING('this request')
    return this.#relay.forward(this.#opened.id, request, signal)
  }

  async #metrics () {
    const { registry } = this.#parts
    return { contentType: registry.contentType, text: await registry.metrics() }
  }

  /**
   * @param {import('./router').AdminRequest} request
   * @param {string} scope
   */
  async #authorize (request, scope) {
    const { method, base, path, query, headers, peer, reference } = request
    const incoming = this.#mount?.requestOf(reference) ?? { method, url: `${base}${path}${query && `?${query}`}`, headers, peer }
    return await this.#parts.options.authorize?.(/** @type {any} */ (incoming), /** @type {any} */ (scope)) === true
  }
}

/** @param {{ isProduction: boolean, tokens: unknown[], tokenFile: string | null, hasAuthorize: boolean }} site */
function isReachable ({ isProduction, tokens, tokenFile, hasAuthorize }) {
  return !isProduction || tokens.length > 0 || tokenFile !== null || hasAuthorize
}

module.exports = { createSurface }
