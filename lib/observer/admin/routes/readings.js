'use strict'

// Readings of the process: findings and predictions, the loop, stalls, requests and where they wait, synchronous calls, memory, threads, rules, marks,
// and Node's diagnostic report. While the main thread is blocked these are its last answer, plus the observer's own data.

const { createBudgets, policyOf } = require('../capture-requests')
const { integer, oneOf, readJsonBody } = require('../parameters')
const { MAX_SITES_SECONDS } = require('../../../shared/captures/kinds')
const { json, text } = require('../../../shared/admin/responses')
const { SingleFlight } = require('../../../base/single-flight')
const { nullWhenBlocked } = require('../../../link/main-client')
const { assertKnownKeys, refuse } = require('../../../base/validate')
const { toMarkdown, toText } = require('../../../shared/findings/show')
const { requestsText, slowRequestsText } = require('../requests-text')
const { assertScale, toScale } = require('../../../shared/check-what-if')
const { MAX_STALLS } = require('../../../shared/stalls/stall')
const { VIEW_PARAMETERS } = require('../views')
const { readRoute } = require('../router')

/** @import { Context, RouteRow, Sources } from '../router' */

const THREADS_LOOK_BACK_MS = 60_000

/** @type {(name: string, text: string) => number} */
const scale = (name, text) => {
  const value = toScale(text)
  assertScale(name, value)
  return value
}

/** @type {RouteRow[]} */
const routes = [
  readRoute('/findings', 'what is wrong, and what to change: ?format=text, markdown', { scope: 'profile', cost: 'findings', parameters: { format: oneOf(['json', 'text', 'markdown']) }, handle: findings }),
  readRoute('/loop', 'delay, utilization and memory', { scope: 'metrics', cost: 'question', handle: loop }),
  readRoute('/stalls', 'the last stalls, and totals by cause and route', { scope: 'metrics', cost: 'nothing', parameters: { limit: integer(1, MAX_STALLS) }, handle: stalls }),
  readRoute('/requests', 'the requests and jobs under way, and what each does or waits for: ?format=text', { scope: 'metrics', cost: 'question', parameters: { format: oneOf(['json', 'text']) }, handle: requests }),
  readRoute('/slow-requests', 'the worst requests, and where their time went: ?format=text', { scope: 'metrics', cost: 'question', parameters: { format: oneOf(['json', 'text']) }, handle: slowRequests }),
  readRoute('/sync-calls', 'synchronous calls by call site, and what to call instead', { scope: 'metrics', cost: 'question', handle: async ({ sources }) => json(200, await sources.syncCalls()) }),
  readRoute('/memory', 'who owns the memory of the process, and what grows', { scope: 'metrics', cost: 'question', handle: memory }),
  readRoute('/memory/sites', 'which code allocates what stays in memory: as found last; ?seconds=60 samples', { scope: 'profile', cost: 'sites', parameters: { seconds: integer(1, MAX_SITES_SECONDS) }, handle: memorySites }),
  readRoute('/threads', 'worker threads: how busy, in which function, their stalls', { scope: 'metrics', cost: 'threads', handle: threads }),
  readRoute('/rules', 'rules, how each stands, and what it did', { scope: 'profile', cost: 'nothing', handle: ({ sources }) => json(200, sources.rules()) }),
  {
    name: 'marks',
    path: '/marks',
    title: 'the last marks; POST makes one',
    methods: {
      GET: { scope: 'metrics', cost: 'nothing', handle: marks },
      POST: { scope: 'profile', cost: 'nothing', handle: addMark }
    }
  },
  readRoute('/waits', 'where requests wait, by line: ?seconds=10, &route=', { scope: 'profile', cost: 'waits', parameters: { seconds: VIEW_PARAMETERS.seconds, route: VIEW_PARAMETERS.route }, handle: waits }),
  readRoute('/what-if', 'how long requests would take if a route did less on the loop: ?route=, &scale=0.25', { scope: 'profile', cost: 'findings', parameters: { route: VIEW_PARAMETERS.route, scale }, handle: whatIf })
]

/** The report's budget belongs to one application. @returns {RouteRow[]} */
function createReadingRoutes () {
  return [...routes, createReportRoute()]
}

/** @param {Context} context */
async function findings ({ sources, parameters: { format = 'json' } }) {
  const answer = await sources.findings()
  if (format === 'text') return text(200, toText(answer))
  if (format === 'markdown') return text(200, toMarkdown(answer), { 'Content-Type': 'text/markdown; charset=utf-8' })
  return json(200, answer)
}

/** @param {Context} context */
async function loop ({ sources }) {
  const [reading, memory] = await Promise.all([sources.ask('processReading').catch(nullWhenBlocked), sources.ask('memory').catch(nullWhenBlocked)])
  return json(200, {
    delay: reading?.value.delay ?? null,
    memory: memory?.value ?? null,
    ...sources.loopNow(),
    requests: sources.requestTotals(),
    series: sources.series(),
    marks: sources.marks(),
    recorder: sources.recorder(),
    at: reading?.at ?? null,
    isStale: reading?.isStale ?? true
  })
}

/** @param {Context} context */
function stalls ({ sources, parameters: { limit = MAX_STALLS } }) {
  const { stalls, current, totals } = sources.stalls()
  return json(200, { stalls: stalls.slice(0, limit), current, totals, ...sources.loopNow() })
}

/** @param {Context} context */
async function requests ({ sources, parameters: { format = 'json' } }) {
  const answer = await sources.requests()
  return format === 'text' ? text(200, requestsText(answer)) : json(200, answer)
}

/** @param {Context} context */
async function slowRequests ({ sources, parameters: { format = 'json' } }) {
  const answer = await sources.slowRequests()
  return format === 'text' ? text(200, slowRequestsText(answer.requests, answer)) : json(200, answer)
}

/** @param {Context} context */
async function memory ({ sources }) {
  const answer = await sources.memory()
  if (answer !== null) return json(200, answer)
  return { status: 503, detail: 'The memory of the process is not known.', remedy: 'Try again when its event loop has run.' }
}

/** @param {Context} context */
async function memorySites ({ sources, parameters: { seconds = null }, signal }) {
  const answer = await sources.allocationSites(seconds, signal)
  if (answer !== null) return json(200, answer)
  return { status: 404, detail: 'No allocations have been sampled, because nothing has grown.', remedy: 'Pass ?seconds=60 to sample them now.' }
}

/** @param {Context} context */
async function threads ({ sources }) {
  return json(200, { ...await sources.threads(), load: sources.threadLoad(THREADS_LOOK_BACK_MS) })
}

/** @param {Context} context */
function marks ({ sources }) {
  return json(200, { marks: sources.marks(), at: Date.now(), recorder: sources.recorder() })
}

/** @param {Context} context */
function addMark ({ request, sources }) {
  const body = readJsonBody(request)
  assertKnownKeys('the body', body, ['text'])
  return json(201, sources.mark(body.text))
}

/** @param {Context} context */
async function waits ({ parameters, sources, signal }) {
  return json(200, await sources.waits(parameters, signal))
}

/** @param {Context} context */
async function whatIf ({ parameters: { route, scale }, sources }) {
  if (route === undefined) refuse('parameter route', 'METHOD /path/:template', route)
  return json(200, await sources.whatIf({ route, scale }))
}

/**
 * Node's diagnostic report, without what may contain secrets. Creating one blocks the main thread, so it has a budget, and requests at the same time
 * share one.
 * @returns {RouteRow}
 */
function createReportRoute () {
  const budgets = createBudgets()
  /** @type {SingleFlight<any> | undefined} */
  let flight

  /** @param {Sources} sources */
  async function make (sources) {
    const giveBack = budgets.use('report')
    try {
      return await sources.report()
    } catch (error) {
      giveBack()
      throw error
    }
  }

  /** @param {Context} context */
  async function report ({ sources }) {
    flight ??= new SingleFlight({ take: () => make(sources) })
    const waitSeconds = flight.isWaiting ? 0 : budgets.waitSeconds('report')
    if (waitSeconds > 0) {
      const headers = { 'Retry-After': String(waitSeconds) }
      return { status: 429, detail: 'The budget of reports is used up.', remedy: `Wait ${waitSeconds} s.`, headers }
    }
    return json(200, withoutSecrets(await flight.share()), { 'Content-Disposition': 'attachment; filename="report.json"' })
  }

  return {
    name: 'report',
    path: '/report',
    title: "Node's diagnostic report",
    methods: { GET: { scope: policyOf('report').scope, cost: 'report', handle: report } }
  }
}

/**
 * Removes what may contain a secret: the environment, the command line, the working directory, network interfaces.
 * @param {any} report
 * @returns {Record<string, unknown>}
 */
function withoutSecrets (report) {
  const { environmentVariables, header, workers = [], ...rest } = report
  const { commandLine, cwd, filename, networkInterfaces, ...facts } = header
  return { header: facts, ...rest, workers: workers.map(withoutSecrets) }
}

module.exports = { createReadingRoutes }
