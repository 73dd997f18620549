'use strict'

// The admin surface of one application, on its main thread: its settings, its mount, the observer's requests, and the one log line with its
// address. The observer serves it.

const { threadId } = require('node:worker_threads')
const { errors } = require('../../base/errors')
const { attempt, unattended } = require('../../base/guard')
const { performance } = require('../../base/timers')
const { warnOnce } = require('../../base/warnings')
const { chooseControlDirectory } = require('../../shared/admin/control-directory')
const { hashToken, makeBootToken } = require('../../shared/admin/tokens')
const { createMetricsReading, readOpenMetrics } = require('./metrics-reading')
const { adminSettings, isAccessChosen } = require('../options/admin-settings')

/** @import { IncomingMessage, ServerResponse } from 'node:http' */
/** @import { Logger } from '../../../types/diagnostics' */
/** @import { ResolvedOptions } from '../options/resolve-options' */
/** @import { Registry } from 'prom-client' */

/** @typedef {import('../../probe/applications').Applications} Applications */
/** @typedef {Pick<import('../../probe/applications').ApplicationAnswers, 'processReading' | 'loopCounts'>} Readings */
/** @typedef {ReturnType<typeof import('../../link/relay').createRelaySender>} Relay */

const UNREACHABLE = 'in production everything on it would be 404 until option token, tokenFile or authorize is set'

class Surface {
  #parts
  #controlDir
  #settings
  /** Generated for an endpoint without a configured token. @type {string | null} */
  #bootToken = null
  #sharers
  /** @type {ReturnType<typeof import('./mount').createMount> | null} */
  #mount = null
  /** @type {ReturnType<Applications['open']> | undefined} */
  #opened
  /** @type {ReturnType<typeof createMetricsReading> | undefined} */
  #metricsReading
  /** @type {Relay | undefined} */
  #relay
  /** @type {ReturnType<typeof import('./announcement').createAnnouncement> | undefined} */
  #announcement

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
  constructor (parts) {
    const { options, clusterId, appRoot } = parts
    this.#parts = parts
    this.#controlDir = chooseControlDirectory(options.runtimeFolder)
    this.#sharers = createPortSharers({ clusterId, controlDir: this.#controlDir, appRoot })
    this.#settings = adminSettings(options)
  }

  /**
   * Call it before start().
   * @returns takes the requests for the admin surface; null when nothing is mounted. After stop() they go to the application.
   */
  openMount () {
    const { path } = this.#parts.options
    if (path === false || !isReachable(this.#settings)) return null
    const mount = require('./mount').createMount({ path, forward: (request, signal) => this.#forward(request, signal) })
    this.#mount = mount
    return (/** @type {IncomingMessage} */ request, /** @type {ServerResponse} */ response) => {
      this.#announcement?.see(request)
      return this.#opened !== undefined && mount.take(request, response)
    }
  }

  /**
   * @param {Readings & { applications: Applications, relay: Relay, middleware: Function | undefined }} observer  middleware: that receives the
   *   application's requests
   */
  start ({ applications, relay, processReading, loopCounts, middleware }) {
    const { options, appName, appRoot, version, clusterId } = this.#parts
    const controlDir = this.#controlDir
    this.#relay = relay
    const metricsReading = createMetricsReading(this.#parts.registry)
    this.#metricsReading = metricsReading
    this.#opened = applications.open({
      ...this.#settings,
      tokens: this.#tokens(),
      listen: this.#listen,
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
      // Threads share the process id, which is in the socket's name.
      controlDir: options.controlSocket && threadId === 0 ? controlDir : null
    }, {
      metrics: () => this.#metrics(),
      openMetrics: () => this.#openMetrics(),
      metricsReading: metricsReading.read,
      processReading,
      loopCounts,
      authorize: (request, scope) => this.#authorize(request, scope),
      logger: this.#parts.logger,
      onReopened: opened => this.#logOpened(opened)
    })
    unattended(this.#announce(middleware, this.#opened.opened))
  }

  /** The problems of the process, from the observer. It computes them also while the loop is blocked, but the loop then gets them late. */
  async findings () {
    if (this.#opened === undefined) throw new errors.ERR_LOOPSCOPE_NOT_RUNNING('findings()')
    return this.#opened.findings()
  }

  /** @param {import('../../../types/what-if').WhatIfOptions} wanted  what would become of the requests if a route did less */
  async whatIf (wanted) {
    if (this.#opened === undefined) throw new errors.ERR_LOOPSCOPE_NOT_RUNNING('whatIf()')
    return this.#opened.whatIf(wanted)
  }

  async stop () {
    this.#announcement?.stop()
    const opened = this.#opened
    this.#opened = undefined
    opened?.close(await this.#metricsReading?.last() ?? null)
  }

  /**
   * @param {Function | undefined} middleware  that receives requests
   * @param {Promise<import('../../probe/applications').Opened>} opened
   */
  async #announce (middleware, opened) {
    const { logger } = this.#parts
    if (this.#settings.listen !== null && !isReachable(this.#settings)) warnOnce(logger, 'LOOPSCOPE_WARN_LISTENER', UNREACHABLE)
    if (this.#hasHttpEndpoint) this.#announcement = this.#makeAnnouncement()
    try {
      if (middleware !== undefined && this.#mount !== null && this.#listen === null) this.#announcement?.start(middleware)
      const answer = await opened
      this.#logOpened(answer)
      if (!isReachable(this.#settings) && answer.controlProblem === null) this.#announceCommands()
    } catch {} // without an observer there is no surface, already warned of
  }

  /** In production without a token there is no address to log: the command line is the way in. One line for all workers. */
  #announceCommands () {
    const { logger, options, appName } = this.#parts
    if (!options.controlSocket || threadId !== 0 || !this.#sharers.isFirst('commands')) return
    const command = `npx loopscope why ${this.#sharers.areSeveral ? `--group ${options.group ?? appName}` : process.pid}`
    logger.info({ command }, `diagnostics: \`${command}\` on this host, as the same user; set option token for the page and the endpoint`)
  }

  #makeAnnouncement () {
    return require('./announcement').createAnnouncement({
      logger: this.#parts.logger,
      path: this.#settings.basePath,
      token: this.#bootToken,
      holder: this.#sharers.areSeveral ? 'these workers' : 'this process',
      isFirst: this.#sharers.isFirst
    })
  }

  /** @param {import('../../probe/applications').Opened} opened */
  #logOpened ({ url, listenProblem, controlProblem }) {
    const { logger, options } = this.#parts
    if (listenProblem !== null) warnOnce(logger, 'LOOPSCOPE_WARN_LISTENER', `${JSON.stringify(options.admin.listen)}: ${listenProblem}`)
    if (controlProblem !== null) warnOnce(logger, 'LOOPSCOPE_WARN_CONTROL_SOCKET', controlProblem)
    if (url !== null) this.#announcement?.tell(`${url}/`)
  }

  /** Settings of the separate listener; null: none. */
  get #listen () { return isReachable(this.#settings) ? this.#settings.listen : null }

  /** Whether there is an HTTP endpoint besides the control socket, which needs no token. */
  get #hasHttpEndpoint () { return this.#mount !== null || this.#listen !== null }

  /** @returns {import('../../shared/admin/tokens').KnownToken[]} */
  #tokens () {
    const { isProduction, tokens } = this.#settings
    if (!this.#hasHttpEndpoint || isProduction || isAccessChosen(this.#parts.options)) return tokens
    this.#bootToken ??= this.#sharers.makeToken()
    return [{ sha256: hashToken(this.#bootToken), scope: 'manage' }]
  }

  /** @param {import('../../observer/admin/router').AdminRequest} request @param {AbortSignal} signal */
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
    // A custom registry of the application: it has no data to build from.
    return typeof registry.getMetricsAsJSON === 'function' ? readOpenMetrics(registry) : this.#metrics()
  }

  /** @param {import('../../observer/admin/router').AdminRequest} request @param {string} scope */
  async #authorize (request, scope) {
    const { method, base, path, query, headers, peer, reference } = request
    const incoming = this.#mount?.requestOf(reference) ?? { method, url: `${base}${path}${query && `?${query}`}`, headers, peer }
    return await this.#parts.options.authorize?.(/** @type {any} */ (incoming), /** @type {any} */ (scope)) === true
  }
}

/** @param {import('../options/admin-settings').AdminSettings} settings */
function isReachable ({ isProduction, tokens, tokenFile, hasAuthorize }) {
  return !isProduction || tokens.length > 0 || tokenFile !== null || hasAuthorize
}

/** @param {number | null} number */
function instanceOf (number) {
  return number === null ? null : String(number)
}

/**
 * Processes that share a port (cluster workers) share one token, and one of them logs the address. Every other process is alone, and does not
 * load the code that finds the others.
 * @param {object} parts
 * @param {number | null} parts.clusterId  of a cluster worker
 * @param {string} parts.controlDir
 * @param {string} parts.appRoot
 */
function createPortSharers ({ clusterId, controlDir, appRoot }) {
  const group = clusterId === null ? null : require('../../shared/admin/worker-group').createWorkerGroup({ controlDir })
  return {
    areSeveral: group !== null,

    /** The logged token is valid for all of them. */
    makeToken () {
      try {
        return group?.shared(`token-${digestOf(appRoot)}`, makeBootToken) ?? makeBootToken()
      } catch {
        return makeBootToken() // no directory that all can trust: each has its own token, and logs it
      }
    },

    /** One log line is enough for all of them. @param {string} url */
    isFirst (url) {
      return attempt(() => group?.isFirst(`announced-${digestOf(url + appRoot)}`) ?? true, true)
    }
  }
}

/** @param {string} text */
function digestOf (text) {
  return process.getBuiltinModule('node:crypto').createHash('sha256').update(text).digest('hex').slice(0, 16)
}

module.exports = { Surface }
