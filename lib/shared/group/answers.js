'use strict'

// The table of answers that processes of a group may give to each request: time limit, depth, and shape. An answer of another shape counts as
// missing, and is neither used nor kept; its sender is probably another version of loopscope.

const { RANKS } = require('../findings/merge-findings')
const { amount, anyOf, count, flag, isObject, listOf, mapOf, number, oneOf, optional, orNull, parseBounded, record, text, textOf, time } = require('../../base/shapes')

/** @import { Shape } from '../../base/shapes' */
/** @import { GroupAnswer } from './ask-group' */

/**
 * @typedef {object} AnswerRow
 * @property {number} maxBytes
 * @property {number} [maxDepth]  of JSON
 * @property {Shape} hasShape
 */

const MB = 1024 ** 2
const MAX_ROWS = 10_000
const MAX_FINDINGS = 500
const MAX_PARTS = 64 // of an exact sum

const route = orNull(text)
const place = { function: text, file: text, line: number, column: optional(number) }
const via = optional(record({ package: text, function: text, through: optional(record({ package: text, function: text })) }))
const culprit = orNull(record({ ...place, call: optional(text), via }))
const stack = optional(listOf(record(place), MAX_ROWS))

const stall = record({ at: time, durationMs: amount, cause: text, route, culprit, stack })
const lasting = { at: time, durationMs: amount, route, culprit, stack }
const totals = record({
  count,
  blockedMs: amount,
  byCause: listOf(record({ cause: text, count, ms: amount }), MAX_ROWS),
  byRoute: listOf(record({ route, count, ms: amount }), MAX_ROWS)
})

const quantile = orNull(record({ now: amount, low: amount, expected: amount, high: amount }))
const prediction = record({
  change: oneOf(['removed', 'asynchronous', 'scaled']),
  reason: orNull(text),
  maxSpeedUp: orNull(amount),
  routes: listOf(record({ route: text, requests: amount, reason: orNull(text), p50Ms: quantile, p95Ms: quantile }), MAX_ROWS)
})

const finding = record({
  id: text,
  title: text,
  severity: oneOf(Object.keys(RANKS)),
  share: number,
  lostMs: number,
  since: orNull(time),
  over: optional(record({ from: time, to: time })),
  what: text,
  where: orNull(record({ ...place, via, route })),
  why: text,
  instead: text,
  evidence: mapOf(orNull(anyOf(number, text, flag))),
  confidence: text,
  prediction: optional(prediction),
  again: optional(record({ mark: text, markedAt: time, lastBefore: time, firstAfter: time })),
  next: listOf(text, MAX_ROWS)
})
const figures = record({
  delayP99Ms: optional(number),
  utilization: orNull(number),
  workers: optional(number),
  longestStallMs: number,
  stalls: number,
  requestsPerSecond: orNull(number),
  requestsInFlight: orNull(number)
})

const callOf = (/** @type {Record<string, Shape>} */ more, /** @type {Record<string, Shape>} */ ofRoute) => record({
  api: text,
  callSite: record(place),
  routes: listOf(record({ route, ...ofRoute }), MAX_ROWS),
  flagged: flag,
  advice: record({ instead: text }),
  ...more
})
const sampled = callOf({ ms: amount, share: number }, { ms: amount })
const exact = callOf({ calls: amount, totalMs: amount, maxMs: amount, standardError: record({ calls: amount, totalMs: amount }) }, { calls: amount, ms: amount })

const slowRequest = record({
  at: time,
  route: text,
  durationMs: amount,
  unreadMs: amount,
  ownMs: number,
  behindMs: number,
  behind: listOf(record({ route, ms: number }), MAX_ROWS),
  gcMs: number,
  waitingMs: number,
  waits: listOf(record({ kind: text, operation: text, target: text, calls: amount, errors: amount, ms: number }), MAX_ROWS),
  waitedAt: optional(listOf(record({ ...place, ms: amount, awaited: orNull(text) }), MAX_ROWS)),
  steps: listOf(record({
    kind: text,
    atMs: number,
    ms: number,
    route,
    call: orNull(record({ kind: text, operation: text, target: text })),
    line: orNull(record({ ...place, awaited: orNull(text), via: orNull(text) }))
  }), MAX_ROWS),
  traceId: optional(text)
})

const requestInFlight = record({
  route,
  method: text,
  at: time,
  ageMs: amount,
  state: text,
  waits: listOf(record({ kind: text, operation: text, target: text, calls: amount, ms: amount }), MAX_ROWS),
  clientGone: flag,
  traceId: orNull(text)
})
const requestsInFlight = record({
  at: orNull(time),
  ageMs: orNull(amount),
  isStale: flag,
  blockedMs: amount,
  total: count,
  upgraded: count,
  running: orNull(record({ route, culprit })),
  requests: listOf(requestInFlight, MAX_ROWS)
})

const wait = { ...place, requests: count, ms: amount }
const waitLine = record({
  ...wait,
  awaited: orNull(text),
  via: orNull(text),
  resumedBy: orNull(record(place)),
  longest: orNull(record(place)),
  together: number,
  callers: listOf(record(place), MAX_ROWS),
  waits: count,
  queuedMs: amount,
  poolMs: amount,
  turnMs: amount,
  sharedMs: amount,
  share: amount,
  p50Ms: amount,
  p99Ms: amount,
  maxMs: amount
})
const routeWaits = record({
  route: text,
  requests: count,
  open: count,
  truncated: count,
  totalMs: amount,
  waitingMs: amount,
  unseenMs: amount,
  clientMs: amount,
  uploadMs: amount,
  lines: listOf(waitLine, MAX_ROWS),
  serial: listOf(record({ ...wait, awaits: amount, maxAwaits: amount }), MAX_ROWS)
})

const profileNode = record({ hitCount: optional(amount), positionTicks: optional(listOf(record({ line: number, ticks: amount }))) })

const name = textOf(/^[^\s"\\{}=,#]+$/)
const labels = mapOf(orNull(anyOf(number, text, flag)), name)
const sample = record({ labels, metricName: optional(name), value: anyOf(number, text, listOf(number, MAX_PARTS)) })
const isAnyMetric = record({ name, help: text, type: textOf(/^\w+$/), aggregator: text, values: listOf(sample) })

/** A bucket of a histogram has a bound, and a name of its own. @type {Shape} */
function isMetric (value) {
  if (!isAnyMetric(value)) return false
  const { type, values } = /** @type {import('../../observer/group/sum-metrics').Metric} */ (value)
  return type !== 'histogram' || values.every(({ labels: { le }, metricName }) => le === undefined || (le !== '' && !Number.isNaN(toBound(le)) && metricName !== undefined))
}

/** @param {unknown} le */
function toBound (le) {
  return le === '+Inf' ? Infinity : Number(le)
}

/** @satisfies {Readonly<Record<string, AnswerRow>>} */
const ANSWERS = Object.freeze({
  stalls: { maxBytes: 8 * MB, hasShape: record({ stalls: listOf(stall, MAX_ROWS), current: orNull(record(lasting)), totals, blockedMs: amount }) },
  loop: {
    maxBytes: 2 * MB,
    hasShape: record({
      delay: orNull(record({ utilization: number, p99Ms: number })),
      memory: orNull(record({ rssBytes: amount, heapUsedBytes: amount })),
      blockedMs: amount,
      isStale: flag
    })
  },
  index: {
    maxBytes: MB,
    hasShape: record({
      facts: record({ pid: count, appName: text, nodeVersion: text, startedAt: time, appRoot: text, group: optional(text), mark: optional(record({ text })) })
    })
  },
  findings: {
    maxBytes: 4 * MB,
    hasShape: record({ pid: count, appName: text, observedSeconds: amount, observed: optional(record({ from: time, to: time })), blockedMs: amount, figures, findings: listOf(finding, MAX_FINDINGS) })
  },
  memory: {
    maxBytes: MB,
    hasShape: record({
      rssBytes: orNull(amount),
      owners: listOf(record({ owner: text, name: orNull(text), bytes: amount, allocatedBytes: orNull(amount) }), MAX_ROWS),
      growing: listOf(record({ owner: text, name: orNull(text), bytesPerMinute: number }), MAX_ROWS),
      container: orNull(record({ usedBytes: amount, limitBytes: amount })),
      isStale: flag
    })
  },
  syncCalls: {
    maxBytes: 8 * MB,
    hasShape: record({
      sampled: listOf(sampled, MAX_ROWS),
      exact: orNull(listOf(exact, MAX_ROWS)),
      totals: orNull(listOf(record({ api: text, calls: amount, totalMs: amount }), MAX_ROWS)),
      pool: orNull(record({ queued: amount, maxWaitMs: amount }))
    })
  },
  slowRequests: { maxBytes: 4 * MB, hasShape: record({ requests: listOf(slowRequest, MAX_ROWS) }) },
  requests: { maxBytes: MB, hasShape: requestsInFlight },
  waits: {
    maxBytes: 8 * MB,
    hasShape: record({ seconds: orNull(amount), seen: orNull(count), sampled: count, seesCallbacks: flag, isStale: flag, routes: listOf(routeWaits, MAX_ROWS) })
  },
  metrics: {
    maxBytes: 8 * MB,
    hasShape: record({ openedAtMs: orNull(number), readAtMs: orNull(number), contentType: textOf(/^[\x20-\x7e]+$/), metrics: listOf(isMetric) })
  },
  // Also while it is under way: then without an artifact.
  capture: {
    maxBytes: MB,
    hasShape: record({ id: optional(text), artifact: optional(record({ name: textOf(/^[\w.-]+$/), bytes: count, from: time, to: time })) })
  },
  // What merges them checks the rest.
  cpuProfile: { maxBytes: 16 * MB, hasShape: record({ nodes: listOf(profileNode) }) },
  heapProfile: { maxBytes: 16 * MB, maxDepth: 2000, hasShape: record({ head: isObject, samples: listOf(record({ size: amount, nodeId: number })) }) } // two levels a frame
})

/** @typedef {keyof typeof ANSWERS} AnswerKind */

/** The events of a process that is followed, by name. @type {Readonly<Record<string, Shape>>} */
const EVENTS = Object.freeze({
  loop: record({
    at: time,
    maxDelayMs: amount,
    blockedMs: amount,
    utilization: orNull(number),
    memory: orNull(record({ rssBytes: amount, heapUsedBytes: amount })),
    threads: optional(listOf(isObject))
  }),
  stall,
  stuck: record(lasting)
})

const OTHER_SHAPE = 'its answer has another form than expected: another version of loopscope?'

/**
 * The answer of one process as data.
 * @param {Pick<GroupAnswer, 'problem' | 'body'>} answer
 * @param {AnswerKind} kind
 * @returns {{ value: any, problem: string | null }} problem: why there is no value that can be used
 */
function readAnswer ({ problem, body }, kind) {
  if (problem !== null) return { value: null, problem }
  /** @type {AnswerRow} */
  const { maxDepth, hasShape } = ANSWERS[kind]
  try {
    const value = parseBounded(body, maxDepth)
    return hasShape(value) ? { value, problem: null } : { value: null, problem: OTHER_SHAPE }
  } catch (error) {
    return { value: null, problem: `its answer cannot be read: ${/** @type {Error} */ (error).message.slice(0, 200)}` }
  }
}

module.exports = { ANSWERS, EVENTS, OTHER_SHAPE, isMetric, readAnswer }
