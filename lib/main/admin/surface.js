'use strict'

// The admin surface of one application, on its main thread: the settings, the mounted door, what the observer may ask, and
// the one line that tells a developer where it is. The observer serves it.

const { createHash } = require('node:crypto')
const { threadId } = require('node:worker_threads')
const { errors } = require('../../shared/base/errors')
const { unattended } = require('../../shared/base/guard')
const { warnOnce } = require('../../shared/base/warnings')
const { createAnnouncement } = require('./announcement')
const { chooseControlDirectory } = require('../../shared/admin/control-directory')
const { createMetricsReading } = require('./metrics-reading')
const { createMount } = require('./mount')
const { readOpenMetrics } = require('./open-metrics')
const { adminSettings } = require('./settings')
const { makeBootToken } = require('../../shared/admin/tokens')
const { createWorkerGroup } = require('../../shared/admin/worker-group')

/** @import { IncomingMessage, ServerResponse } from 'node:http' */
/** @import { Logger } from '../../../types/diagnostics' */
/** @import { ResolvedOptions } from '../options/resolve-options' */
/** @import { Registry } from 'prom-client' */

/** @typedef {ReturnType<typeof import('./applications').createApplications>} Applications */
/** @typedef {ReturnType<typeof import('../../bridge/relay').createRelaySender>} Relay */

/**
 * @param {object} parts
 * @param {ResolvedOptions} parts.options
 * @param {() => Registry} parts.registry
 * @param {Logger} parts.logger
 * @param {string} parts.appName
 * @param {string} parts.appRoot
 * @param {string} parts.version
 * @param {number | null} parts.clusterId  of a cluster worker
 */
function createSurface (parts) {
  return new Surface(parts)
}

class Surface {
  #parts
  #controlDir
  #settings
  #bootToken
  /** Of a cluster worker, which shares the port of the application. */
  #group
  #mount
  /** @type {ReturnType<Applications['open']> | undefined} */
  #opened
  /** @type {ReturnType<typeof createMetricsReading> | undefined} */
  #metricsReading
  /** @type {Relay | undefined} */
  #relay
  /** @type {ReturnType<typeof createAnnouncement> | undefined} */
  #announcement

  /** @param {Parameters<typeof createSurface>[0]} parts */
  constructor (parts) {
    const { options, clusterId } = parts
    this.#parts = parts
    this.#controlDir = chooseControlDirectory(options.runtimeFolder)
    this.#group = clusterId === null ? null : createWorkerGroup({ controlDir: this.#controlDir })
    const { settings, bootToken } = adminSettings(options, () => this.#makeToken())
    this.#settings = settings
    this.#bootToken = bootToken
    this.#mount = options.path === false || !isReachable(settings)
      ? null
      : createMount({ path: options.path, forward: (request, signal) => this.#forward(request, signal) })
  }

  /** Takes a request that is for the admin surface; null when nothing is mounted. After stop() they are the application's. */
  get take () {
    const mount = this.#mount
    if (mount === null) return null
    return (/** @type {IncomingMessage} */ request, /** @type {ServerResponse} */ response) => {
      this.#announcement?.see(request)
      return this.#opened !== undefined && mount.take(request, response)
    }
  }

  /**
   * @param {object} observer
   * @param {Applications} observer.applications
   * @param {Relay} observer.relay
   * @param {() => import('../../shared/findings/readings').ProcessReading} observer.processReading
   * @param {(question: { needsHeap: boolean }) => import('../../shared/rules/conditions').LoopCounts} observer.loopCounts
   * @param {Function | undefined} observer.middleware  through which requests of the application come in
   */
  start ({ applications, relay, processReading, loopCounts, middleware }) {
    const { options, appName, appRoot, version, clusterId } = this.#parts
    const controlDir = this.#controlDir
    this.#relay = relay
    const metricsReading = createMetricsReading(this.#parts.registry)
    this.#metricsReading = metricsReading
    this.#opened = applications.open({
      ...this.#settings,
      listen: isReachable(this.#settings) ? this.#settings.listen : null,
      worker: clusterId === null && options.pm2Process === null ? null : { clusterId, pm2: options.pm2Process, controlDir },
      appName,
      group: options.group ?? appName,
      instance: instanceOf(options.pm2Process?.instance ?? clusterId),
      appRoot,
      version,
      startedAt: Math.round(performance.timeOrigin),
      dir: options.dir,
      retention: options.retention,
      heap: options.heap,
      rules: options.rules,
      rulesDryRun: options.rulesDryRun,
      // Threads share the process's id, which names the socket.
      controlDir: options.controlSocket && threadId === 0 ? controlDir : null
    }, {
      metrics: () => this.#metrics(),
      openMetrics: () => this.#openMetrics(),
      metricsReading: metricsReading.read,
      processReading,
      loopCounts,
      authorize: (request, scope) => this.#authorize(request, scope),
      logger: this.#parts.logger,
      onReopened: opened => this.#tellOpened(opened)
    })
    unattended(this.#tellWhere(this.#mount === null ? undefined : middleware, this.#opened.opened))
  }

  /** What is wrong with the process: asked of the observer, which answers while the loop is blocked, though not to it. */
  async findings () {
    if (this.#opened === undefined) throw new errors.ERR_LOOPSCOPE_NOT_RUNNING('findings()')
    return this.#opened.findings()
  }

  async stop () {
    this.#announcement?.stop()
    const opened = this.#opened
    this.#opened = undefined
    opened?.close(await this.#metricsReading?.last() ?? null)
  }

  /**
   * @param {Function | undefined} middleware  behind which the surface is mounted
   * @param {Promise<import('./applications').Opened>} opened
   */
  async #tellWhere (middleware, opened) {
    const { logger } = this.#parts
    if (this.#settings.listen !== null && !isReachable(this.#settings)) warnOnce(logger, 'LOOPSCOPE_WARN_LISTENER', UNREACHABLE)
    this.#announcement = createAnnouncement({
      logger,
      path: this.#settings.basePath,
      token: this.#bootToken,
      holder: this.#group === null ? 'this process' : 'these workers',
      isFirst: url => this.#isFirst(url)
    })
    try {
      if (middleware !== undefined && this.#settings.listen === null) this.#announcement.start(middleware)
      this.#tellOpened(await opened)
    } catch {} // without an observer there is no surface, which was warned of
  }

  /** @param {import('./applications').Opened} opened */
  #tellOpened ({ url, listenProblem, controlProblem }) {
    const { logger, options } = this.#parts
    if (listenProblem !== null) warnOnce(logger, 'LOOPSCOPE_WARN_LISTENER', `${JSON.stringify(options.admin.listen)}: ${listenProblem}`)
    if (controlProblem !== null) warnOnce(logger, 'LOOPSCOPE_WARN_CONTROL_SOCKET', controlProblem)
    if (url !== null) this.#announcement?.tell(`${url}/`)
  }

  /** Whoever reads it in the log reaches any of the workers that share the port. */
  #makeToken () {
    try {
      return this.#group?.shared(`token-${digestOf(this.#parts.appRoot)}`, makeBootToken) ?? makeBootToken()
    } catch {
      return makeBootToken() // no directory that all could trust: each has its own, and says so
    }
  }

  /**
   * One line is enough for the workers that share a port.
   * @param {string} url
   */
  #isFirst (url) {
    try {
      return this.#group?.isFirst(`told-${digestOf(url + this.#parts.appRoot)}`) ?? true
    } catch {
      return true
    }
  }

  /**
   * @param {import('../../observer/admin/router').AdminRequest} request
   * @param {AbortSignal} signal
   */
  async #forward (request, signal) {
    if (this.#opened === undefined || this.#relay === undefined) throw new errors.ERR_LOOPSCOPE_NOT_RUNNING('this request')
    return this.#relay.forward(this.#opened.id, request, signal)
  }

  async #metrics () {
    const registry = this.#parts.registry()
    return { contentType: registry.contentType, text: await registry.metrics() }
  }

  async #openMetrics () {
    const registry = this.#parts.registry()
    // Of an application's own kind: it has no data to write from.
    return typeof registry.getMetricsAsJSON === 'function' ? readOpenMetrics(registry) : this.#metrics()
  }

  /**
   * @param {import('../../observer/admin/router').AdminRequest} request
   * @param {string} scope
   */
  async #authorize (request, scope) {
    const { method, base, path, query, headers, peer, reference } = request
    const incoming = this.#mount?.requestOf(reference) ?? { method, url: `${base}${path}${query && `?${query}`}`, headers, peer }
    return await this.#parts.options.authorize?.(/** @type {any} */ (incoming), /** @type {any} */ (scope)) === true
  }
}

const UNREACHABLE = 'in production everything on it would be 404 until option token, tokenFile or authorize is set'

/** @param {{ isProduction: boolean, tokens: unknown[], tokenFile: string | null, hasAuthorize: boolean }} settings */
function isReachable ({ isProduction, tokens, tokenFile, hasAuthorize }) {
  return !isProduction || tokens.length > 0 || tokenFile !== null || hasAuthorize
}

/** @param {number | null} number */
function instanceOf (number) {
  return number === null ? null : String(number)
}

/** @param {string} text */
function digestOf (text) {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}

module.exports = { createSurface }
