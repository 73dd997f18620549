'use strict'

// The admin surface of the process: for each application a router with its sources, and its listener, if any; and one control socket, for the first
// application.

const { ControlSocket } = require('./control-socket')
const { readOpenConnections } = require('../connections')
const { RequestCounts } = require('../counts')
const { nullWhenBlocked } = require('../../link/main-client')
const { createRelayReceiver } = require('../../link/relay')
const { ThreadLoadMeter } = require('../threads/thread-load')
const { ThreadWatch } = require('../threads/thread-watch')
const { PastReadings } = require('../findings/past-readings')
const { errors } = require('../../base/errors')
const { LabelCounts } = require('../../base/label-counts')
const { unattended } = require('../../base/guard')
const { hasMetricsState } = require('../group/metrics-state')
const { ownIdentity } = require('../../shared/group/member-facts')

/** @import { RuleOutcome } from '../../../types/rules' */
/** @import { AdminSettings } from '../../api/options/admin-settings' */
/** @import { Opened } from '../../probe/applications' */
/** @import { CallCounts, Counts } from '../counts' */
/** @import { WorkerFacts } from './listener' */
/** @import { RequestHandler } from '../../shared/admin/exchange' */
/** @import { Findings } from '../../../types/findings' */
/** @import { WhatIf, WhatIfOptions } from '../../../types/what-if' */
/** @import { ApplicationMetrics } from '../group/totals' */
/** @import { Application, Sources } from './router' */
/** @import { ApplicationSettings, SourceParts } from './admin-sources' */

/**
 * @typedef {{ worker: (WorkerFacts & { controlDir: string }) | null, instance: string | null }} Siblings  worker null: none; instance: among them
 * @typedef {Application & ApplicationSettings & Pick<AdminSettings, 'basePath' | 'listen'> & Siblings} AdminApplication
 *
 * @typedef {object} OpenApplication
 * @property {RequestHandler} handle
 * @property {() => Sources} sources  created with the first request
 * @property {import('./listener').Listener | null} listener
 * @property {ReturnType<typeof import('../rules/rules').createApplicationRules> | null} rules  null: no rules
 * @property {PastReadings} past
 * @property {AbortController} closed
 */

const NO_RULES = Object.freeze({ dryRun: false, rules: [] })

class Admin {
  #parts
  /** In order of opening. @type {Map<number, OpenApplication>} */
  #applications = new Map()
  /** @type {ControlSocket | undefined} */
  #controlSocket
  #threadLoad
  #threadWatch
  /** Loaded with the first request: one comparison at a time in the process. @type {SourceParts['comparisons'] | undefined} */
  #comparisons
  #requestCounts = new RequestCounts()
  /** What the rules of all applications did. @type {LabelCounts<{ rule: string, outcome: RuleOutcome }>} */
  #ruleCounts = new LabelCounts()
  relay = createRelayReceiver({ handlerOf: application => this.#applications.get(application)?.handle })

  /**
   * @param {Omit<SourceParts, 'application' | 'threadLoad' | 'threadWatch' | 'past' | 'outgoing' | 'comparisons' | 'rules' | 'count'> & { calls: CallCounts }} parts
   */
  constructor (parts) {
    this.#parts = parts
    const { interval } = parts.stalls
    this.#threadLoad = new ThreadLoadMeter({ ...parts.settings, sourceMapsPid: () => parts.sourceMaps.threadPid, interval })
    this.#threadWatch = new ThreadWatch({ ...parts, interval })
  }

  /** @param {AdminApplication} application @returns {Promise<Opened>} */
  async open (application) {
    const { calls, main, settings, stalls: { interval, series } } = this.#parts
    series.start()
    this.#threadLoad.start()
    this.#threadWatch.start()
    /** @type {Sources | undefined} */
    let made
    const outgoing = () => ({ calls: calls.counts(), connections: readOpenConnections() })
    const past = new PastReadings({ interval, isIdle: () => series.isIdle, ask: () => main.readOrLast('processReading', application.id).catch(nullWhenBlocked), outgoing })
    past.start()
    const sources = () => {
      this.#comparisons ??= require('../heap/comparison-job').createComparisons(settings)
      made ??= require('./admin-sources').createAdminSources({
        ...this.#parts,
        comparisons: this.#comparisons,
        outgoing,
        threadLoad: this.#threadLoad,
        threadWatch: this.#threadWatch,
        past,
        application,
        rules: () => opened.rules?.status() ?? NO_RULES,
        count: event => this.#requestCounts.count(event)
      })
      return made
    }
    const handle = this.#makeHandler(application, sources)
    /** @type {OpenApplication} */
    const opened = { handle, sources, rules: this.#makeRules(application, sources), past, listener: null, closed: new AbortController() }
    this.#applications.set(application.id, opened)
    opened.rules?.start()
    const controlProblem = await problemOf(() => this.#openControlSocket(application))
    if (hasMetricsState(application)) unattended(problemOf(async () => sources().group().metrics().forgetEnded()))
    let url = null
    const listenProblem = await problemOf(async () => { url = await this.#listen(application, opened) })
    return { url, listenProblem: opened.closed.signal.aborted ? null : listenProblem, controlProblem }
  }

  /** @param {AdminApplication} application @param {OpenApplication} opened */
  async #listen ({ listen, worker, basePath }, opened) {
    if (listen === null) return null
    const { Listener, workerAddress } = require('./listener')
    const { createWorkerGroup } = require('../../shared/admin/worker-group')
    const { signal } = opened.closed
    const address = worker === null ? listen : await workerAddress(listen, worker, createWorkerGroup(worker), signal)
    signal.throwIfAborted()
    opened.listener = new Listener({ address, basePath, handle: opened.handle })
    return opened.listener.start()
  }

  /** @returns {Promise<Findings> | undefined} of the first application; undefined: there is none */
  firstFindings () {
    const [application] = this.#applications.values()
    return application?.sources().findings()
  }

  /** @param {number} id @returns {Promise<Findings>} */
  async findings (id) {
    const application = this.#applications.get(id)
    if (application === undefined) throw new errors.ERR_LOOPSCOPE_NOT_RUNNING('findings()') // closed while the request was in flight
    return application.sources().findings()
  }

  /** @param {number} id @param {WhatIfOptions} wanted @returns {Promise<WhatIf>} */
  async whatIf (id, wanted) {
    const application = this.#applications.get(id)
    if (application === undefined) throw new errors.ERR_LOOPSCOPE_NOT_RUNNING('whatIf()')
    return application.sources().whatIf(wanted)
  }

  /**
   * @param {number} id
   * @param {ApplicationMetrics | null} [metrics]  its counters, if they were reported to its group
   */
  async close (id, metrics = null) {
    const application = this.#applications.get(id)
    if (metrics !== null && application?.sources().isInGroup) application.sources().group().metrics().keepLast(metrics)
    this.#applications.delete(id)
    this.#parts.main.forget(id)
    application?.rules?.stop()
    application?.past.stop()
    application?.closed.abort()
    await application?.listener?.stop()
    if (this.#applications.size > 0) return
    this.relay.close()
    await this.#controlSocket?.stop()
    this.#controlSocket = undefined
    this.#parts.stalls.series.stop()
    this.#threadLoad.stop()
    this.#threadWatch.stop()
  }

  /** Counts of all applications, including closed ones. @returns {Pick<Counts, 'admin' | 'rules' | 'threads'>} */
  counts () {
    return { admin: this.#requestCounts.counts(), rules: this.#ruleCounts.list(), threads: this.#threadWatch.times() }
  }

  async closeAll () {
    for (const id of [...this.#applications.keys()]) await this.close(id)
  }

  /**
   * The router, the routes and what they need are loaded with the first request.
   * @param {AdminApplication} application
   * @param {() => Sources} sources
   * @returns {RequestHandler}
   */
  #makeHandler (application, sources) {
    /** @type {RequestHandler | undefined} */
    let handle
    return (...request) => {
      handle ??= this.#makeRouter(application, sources()).handle
      return handle(...request)
    }
  }

  /**
   * Creates the rules of an application; loaded only if there are any.
   * @param {AdminApplication} application
   * @param {() => Sources} sources
   */
  #makeRules (application, sources) {
    if (application.rules.length === 0) return null
    return require('../rules/rules').createApplicationRules({ application, sources, observer: this.#parts, counts: this.#ruleCounts })
  }

  /** @param {AdminApplication} application @param {Sources} sources */
  #makeRouter (application, sources) {
    const { Router } = require('./router')
    const { createRoutes } = require('./routes')
    return new Router({ application, sources, routes: createRoutes() })
  }

  /** @param {AdminApplication} application  the first of the process */
  async #openControlSocket ({ controlDir: directory, ...application }) {
    if (directory === null || this.#controlSocket !== undefined) return
    /** @type {RequestHandler} */
    const handle = async (request, signal) => {
      const [first] = this.#applications.values()
      return first.handle(request, signal)
    }
    this.#controlSocket = new ControlSocket({ directory, facts: factsOf(application), handle })
    await this.#controlSocket.start()
  }
}

/**
 * @param {Omit<AdminApplication, 'controlDir'>} application
 * @returns {ConstructorParameters<typeof ControlSocket>[0]['facts']}
 */
function factsOf ({ appName, group, version, instance, startedAt }) {
  return { ...ownIdentity(), startedAt, appName, group, version, instance }
}

/** @param {() => Promise<void>} work @returns {Promise<string | null>} what went wrong */
async function problemOf (work) {
  try {
    await work()
    return null
  } catch (error) {
    return /** @type {Error} */ (error).message
  }
}

module.exports = { Admin }
