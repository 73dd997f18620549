'use strict'

// Workers of one group do the same work: one that is clearly busier, larger or more often stalled than the rest has a reason of its
// own. It is compared with the median of the others. Pure.

const { duration, megabytes, percent, rounded, times } = require('../words')

/** @import { GroupFinding } from '../../../../types/group' */
/** @import { FindingsPart } from './merge-findings' */

const MIN_WORKERS = 3 // of two nobody can say which is the rest
// What is clear: so much more, and so many times the median.
const CLEAR = Object.freeze({
  utilization: Object.freeze({ more: 0.25, times: 2 }),
  rssBytes: Object.freeze({ more: 100e6, times: 1.5 }),
  stalls: Object.freeze({ more: 5, times: 3 })
})

/** @typedef {{ pid: number, observedMs: number, utilization: number | null, rssBytes: number | null, stalls: number | null }} Worker */
/** @typedef {{ name: keyof typeof CLEAR, value: number, median: number }} Difference */

/**
 * @param {readonly FindingsPart[]} parts
 * @returns {GroupFinding[]}
 */
function findHotWorkers (parts) {
  if (parts.length < MIN_WORKERS) return []
  const workers = parts.map(toWorker)
  const hot = workers.map(worker => ({ worker, differences: differencesOf(worker, workers) })).filter(({ differences }) => differences.length > 0)
  // Where half of them differ, there is no rest.
  return hot.length * 2 >= workers.length ? [] : hot.map(({ worker, differences }) => toFinding(worker, differences, workers.length))
}

/**
 * @param {FindingsPart} part
 * @returns {Worker}
 */
function toWorker ({ answer: { pid, observedSeconds, figures }, loop }) {
  return {
    pid,
    observedMs: observedSeconds * 1e3,
    utilization: figures.utilization,
    rssBytes: loop?.memory?.rssBytes ?? null,
    stalls: figures.stalls
  }
}

/**
 * @param {Worker} worker
 * @param {readonly Worker[]} workers
 * @returns {Difference[]}
 */
function differencesOf (worker, workers) {
  return /** @type {(keyof typeof CLEAR)[]} */ (Object.keys(CLEAR)).flatMap(name => {
    const value = worker[name]
    const others = workers.filter(other => other !== worker).flatMap(other => other[name] ?? [])
    if (value === null || others.length < MIN_WORKERS - 1) return []
    const median = medianOf(others)
    return value - median >= CLEAR[name].more && value >= median * CLEAR[name].times ? [{ name, value, median }] : []
  })
}

/** @param {readonly number[]} values */
function medianOf (values) {
  const sorted = values.toSorted((left, right) => left - right)
  const middle = (sorted.length - 1) / 2
  return (sorted[Math.floor(middle)] + sorted[Math.ceil(middle)]) / 2
}

const SHOWN = Object.freeze({
  utilization: (/** @type {number} */ value) => `utilisation ${percent(value)}`,
  rssBytes: (/** @type {number} */ value) => `${megabytes(value)} of memory`,
  stalls: (/** @type {number} */ value) => times(value, 'stall')
})

/**
 * @param {Worker} worker
 * @param {Difference[]} differences
 * @param {number} of
 * @returns {GroupFinding}
 */
function toFinding ({ pid, observedMs }, differences, of) {
  const hotter = differences.find(({ name }) => name === 'utilization')
  const share = hotter === undefined ? 0 : hotter.value - hotter.median
  const what = differences.map(({ name, value, median }) => `${SHOWN[name](value)}, where the median of the others is ${SHOWN[name](median)}`)
  return {
    id: 'hot-worker',
    title: `One worker does not do as the others: pid ${pid}, ${SHOWN[differences[0].name](differences[0].value)}`,
    severity: 'warning',
    share: rounded(share, 3),
    lostMs: rounded(share * observedMs),
    since: null,
    over: null,
    where: null,
    what: `Process ${pid}: ${what.join('; ')}.${hotter === undefined ? '' : ` That is ${duration(share * observedMs)} more work.`}`,
    why: 'Workers of one group do the same work. One that differs has connections, jobs or tenants that the others do not have, or keeps what it should not.',
    instead: 'Look what it does that the others do not: which requests, which timers, which cache. Long-lived connections do not spread by themselves when workers are added.',
    evidence: Object.fromEntries(differences.flatMap(({ name, value, median }) => [[name, rounded(value, 3)], [`${name}OfOthers`, rounded(median, 3)]])),
    confidence: 'medium',
    next: [`npx loopscope why ${pid}`, `npx loopscope profile ${pid}`],
    workers: { pids: [pid], of }
  }
}

module.exports = { findHotWorkers }
