'use strict'

// Captures over HTTP: started with POST, which responds at once with the URL to watch, stop and cancel it.

const { createResponse, json } = require('../../../shared/admin/responses')
const { outOfScope, readCaptureBody, readKey, createBudgets, isUsed, policyOf, requesterOf } = require('../capture-requests')
const { CaptureJobs } = require('../jobs')
const { flag } = require('../parameters')
const { guarded } = require('../../../base/guard')

/** @import { EndState, Job } from '../jobs' */
/** @import { Problem } from '../../../shared/admin/responses' */
/** @import { Context, RouteRow } from '../router' */

const MAX_RUNNING = 8
const MAX_KEYS = 100
const MAX_WAIT_SECONDS = 330
const RETRY_SECONDS = '1'

/** @returns {RouteRow[]} */
function createCaptureRoutes () {
  const captures = new CaptureRoutes()
  return [
    {
      name: 'captures',
      path: '/captures',
      title: 'captures under way and done; POST starts one',
      methods: {
        GET: { scope: 'profile', cost: 'nothing', handle: context => captures.list(context) },
        POST: { scope: 'profile', cost: 'capture', handle: context => captures.create(context) }
      }
    },
    {
      name: 'capture',
      path: '/captures/:id',
      methods: {
        GET: { scope: 'profile', cost: 'nothing', handle: context => captures.show(context) },
        DELETE: { scope: 'profile', cost: 'nothing', parameters: { stop: flag() }, handle: context => captures.end(context) }
      }
    },
    // The name that people search for. POST only, because an <img src> must not be able to pause the process.
    {
      name: 'heap-snapshot',
      path: '/heap-snapshot',
      methods: { POST: { scope: 'dump', cost: 'capture', handle: context => captures.create(context, 'heap-snapshot') } }
    }
  ]
}

class CaptureRoutes {
  #budgets = createBudgets()
  #jobs = new CaptureJobs()
  /** Idempotency keys, oldest first. @type {Map<string, string>} */
  #keys = new Map()

  /** @param {Context} context */
  list ({ request: { base } }) {
    return json(200, { captures: this.#jobs.list().map(job => withLinks(job, base)) })
  }

  /** @param {Context} context */
  show ({ params: { id }, request: { base } }) {
    const job = this.#jobs.get(id)
    if (job === null) return unknownCapture(id)
    return json(200, withLinks(job, base), job.endedAt === null ? { 'Retry-After': RETRY_SECONDS } : {})
  }

  /** @param {Context} context */
  end ({ params: { id }, parameters: { stop = false } }) {
    const job = this.#jobs.get(id)
    if (job === null) return unknownCapture(id)
    if (stop) this.#jobs.stop(id)
    else this.#jobs.cancel(id, 'asked for over HTTP')
    return createResponse(stop ? 202 : 204, null)
  }

  /** @param {Context} context @param {string} [givenKind] */
  async create (context, givenKind) {
    const { request, sources, can } = context
    const { kind, label, options } = readCaptureBody(request, givenKind)
    sources.checkCapture(kind, options)
    const { scope, isExclusive } = policyOf(kind)
    if (!await can(scope)) return outOfScope(kind, scope)
    const key = readKey(request)
    const repeated = key === null ? null : this.#jobs.get(this.#keys.get(key) ?? '')
    if (repeated !== null) return this.#respondFor(repeated, context)
    // An owner of the process who passes `force` has read the cost; the capture still counts.
    const { isOwner, trigger, actor } = requesterOf(request)
    const isForced = isOwner && options.force === true
    const obstacle = this.#refusalNow(kind, isExclusive, request.base) ?? (isForced ? null : this.#refusalOfBudget(kind, isOwner))
    if (obstacle !== null) return obstacle
    const giveBack = this.#budgets.use(kind)
    /** @param {EndState} state */
    const onEnd = state => { if (!isUsed(kind, state)) giveBack() }
    const job = this.#jobs.start({ kind, options, trigger, label, actor, onEnd }, sources)
    if (key !== null) this.#remember(key, job.id)
    return this.#respondFor(job, context)
  }

  /** @param {string} kind @param {boolean} isExclusive @param {string} base @returns {Problem | null} */
  #refusalNow (kind, isExclusive, base) {
    const same = isExclusive ? this.#jobs.underWay(kind) : null
    if (same !== null) {
      const headers = { Location: `${base}/captures/${same.id}`, 'Retry-After': RETRY_SECONDS }
      return { status: 409, detail: `A ${kind} capture is under way.`, remedy: 'Wait for it.', headers }
    }
    if (this.#jobs.list().filter(({ endedAt }) => endedAt === null).length >= MAX_RUNNING) {
      const headers = { 'Retry-After': '10' }
      return { status: 429, detail: `${MAX_RUNNING} captures are under way.`, remedy: 'Wait for one of them, or cancel one.', headers }
    }
    return null
  }

  /** @param {string} kind @param {boolean} isOwner @returns {Problem | null} */
  #refusalOfBudget (kind, isOwner) {
    const waitSeconds = this.#budgets.waitSeconds(kind)
    if (waitSeconds === 0) return null
    return {
      status: 429,
      detail: `The budget of ${kind} captures is used up.`,
      remedy: `Wait ${waitSeconds} s.${remedyFor(kind, isOwner)}`,
      headers: { 'Retry-After': String(waitSeconds) }
    }
  }

  /** @param {Job} job @param {Context} context */
  async #respondFor (job, { request: { base, headers }, signal }) {
    const [, wait] = /(?:^|[,;\s])wait=(\d{1,3})(?:$|[,;\s])/.exec(String(headers.prefer ?? '')) ?? []
    if (wait !== undefined) await this.#waitFor(job, Math.min(Number(wait), MAX_WAIT_SECONDS), signal)
    const location = { Location: `${base}/captures/${job.id}` }
    if (job.endedAt === null) return json(202, withLinks(job, base), { ...location, 'Retry-After': RETRY_SECONDS })
    if (job.problem !== null) return { ...job.problem, headers: location }
    return json(201, withLinks(job, base), location)
  }

  /**
   * A client that disconnects while it waits for a capture no longer wants it.
   * @param {Job} job
   * @param {number} seconds
   * @param {AbortSignal} signal
   */
  async #waitFor (job, seconds, signal) {
    const leave = guarded(() => this.#jobs.cancel(job.id, 'the client left'))
    if (signal.aborted) leave()
    signal.addEventListener('abort', leave, { once: true })
    await this.#jobs.wait(job.id, seconds * 1e3)
    signal.removeEventListener('abort', leave)
  }

  /** @param {string} key @param {string} id */
  #remember (key, id) {
    this.#keys.set(key, id)
    if (this.#keys.size > MAX_KEYS) this.#keys.delete(/** @type {string} */ (this.#keys.keys().next().value))
  }
}

/** @param {string} kind @param {boolean} isOwner */
function remedyFor (kind, isOwner) {
  if (kind === 'cpu') return ' GET /cpu reads the recorder without a file and has no budget.'
  return kind === 'heap-snapshot' && isOwner ? ' Or insist with force: true (--force).' : ''
}

/** @param {Job} job @param {string} base */
function withLinks (job, base) {
  const artifact = job.artifact === null ? {} : { artifact: { href: `${base}/artifacts/${job.artifact.name}` } }
  return { ...job, _links: { self: { href: `${base}/captures/${job.id}` }, ...artifact } }
}

/** @param {string} id */
function unknownCapture (id) {
  return { status: 404, detail: `There is no capture ${id}.`, remedy: 'See /captures; the last 100 are kept.' }
}

module.exports = { createCaptureRoutes }
