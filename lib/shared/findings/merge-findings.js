'use strict'

// Merges the findings of all processes of a group into one ranked list: the same finding at the same place in several processes becomes one, and
// a process that is busier than the rest is a finding of its own. Only where no process has a problem, the group has none. Pure.

const { groupBy, median, sum } = require('../../base/sums')
const { duration, megabytes, percent, rounded, times } = require('./format-text')

/** @import { Finding, Findings } from '../../../types/findings' */
/** @import { GroupFinding, GroupFindings } from '../../../types/group' */

/** @typedef {{ answer: Findings, loop: { memory: { rssBytes: number } | null } | null }} FindingsPart  of one process */

/** Of the severities, the worst first. */
const RANKS = Object.freeze({ critical: 0, warning: 1, info: 2, none: 3 })

const MIN_WORKERS = 3 // with two there is no majority
// A clear difference: this much more than the median, and this many times the median.
const CLEAR = Object.freeze({
  utilization: Object.freeze({ more: 0.25, times: 2 }),
  rssBytes: Object.freeze({ more: 100e6, times: 1.5 }),
  stalls: Object.freeze({ more: 5, times: 3 })
})

const SHOWN = Object.freeze({
  utilization: (/** @type {number} */ value) => `utilization ${percent(value)}`,
  rssBytes: (/** @type {number} */ value) => `${megabytes(value)} of memory`,
  stalls: (/** @type {number} */ value) => times(value, 'stall')
})

/** @typedef {{ pid: number, observedMs: number, utilization: number | null, rssBytes: number | null, stalls: number | null }} Worker */
/** @typedef {{ name: keyof typeof CLEAR, value: number, median: number }} Difference */

/**
 * @param {readonly FindingsPart[]} parts
 * @returns {Pick<GroupFindings, 'observedSeconds' | 'blocked' | 'figures' | 'findings'>}
 */
function mergeFindings (parts) {
  const answers = parts.map(({ answer }) => answer)
  const found = [...merged(answers), ...findHotWorkers(parts)]
  const ranked = found.sort(byWeight)
  const isSomethingWrong = ranked.some(({ severity }) => severity === 'critical' || severity === 'warning')
  const shown = isSomethingWrong ? ranked.filter(({ severity }) => severity !== 'none') : [...noProblem(ranked), ...ranked.filter(isInfo)]
  return {
    observedSeconds: Math.max(0, ...answers.map(({ observedSeconds }) => observedSeconds)),
    blocked: answers.filter(({ blockedMs }) => blockedMs > 0).map(({ pid, blockedMs }) => ({ pid, blockedMs })),
    figures: figuresOf(answers),
    findings: shown
  }
}

/** @typedef {Pick<Finding, 'severity' | 'over' | 'lostMs' | 'evidence'>} Weighed */

/** Worst first, and what is over after what goes on. @param {Weighed} left @param {Weighed} right */
function byWeight (left, right) {
  return RANKS[left.severity] - RANKS[right.severity] || Number(Boolean(left.over)) - Number(Boolean(right.over)) || right.lostMs - left.lostMs || growthOf(right) - growthOf(left)
}

/** Of the memory that grows, which is followed by what holds it. @param {Weighed} finding */
function growthOf ({ evidence: { bytesPerMinute } }) {
  return Number(bytesPerMinute ?? 0)
}

/** @param {Pick<Finding, 'severity'>} finding */
function isInfo ({ severity }) {
  return severity === 'info'
}

/**
 * If one process has enough data to report no significant problem, "too little data" of the others is dropped.
 * @param {readonly GroupFinding[]} ranked
 */
function noProblem (ranked) {
  const none = ranked.filter(({ severity }) => severity === 'none')
  return [none.find(({ id }) => id === 'nothing-wrong') ?? none[0]].filter(finding => finding !== undefined)
}

/** @param {readonly Findings[]} answers @returns {GroupFinding[]} */
function merged (answers) {
  const same = groupBy(answers.flatMap(({ pid, findings }) => findings.map(finding => ({ finding, pid }))), ({ finding }) => keyOf(finding))
  const observedMs = sum(answers, ({ observedSeconds }) => observedSeconds * 1e3)
  return [...same.values()].map(all => toGroupFinding(all, { of: answers.length, observedMs }))
}

/** @param {Finding} finding */
function keyOf ({ id, where, over }) {
  return JSON.stringify([id, Boolean(over), where && [where.function, where.file, where.line, where.via]])
}

/**
 * With the text of the process that lost most time.
 * @param {{ finding: Finding, pid: number }[]} all  the same finding, of several processes
 * @param {{ of: number, observedMs: number }} group
 * @returns {GroupFinding}
 */
function toGroupFinding (all, { of, observedMs }) {
  const byWorst = all.toSorted((left, right) => right.finding.lostMs - left.finding.lostMs)
  const [{ finding }] = byWorst
  const lostMs = sum(all, one => one.finding.lostMs)
  const starts = all.flatMap(one => one.finding.since ?? [])
  const [severity] = all.map(one => one.finding.severity).sort((left, right) => RANKS[left] - RANKS[right])
  return {
    ...finding,
    severity,
    over: overOf(all),
    since: starts.length === 0 ? null : Math.min(...starts),
    lostMs: rounded(lostMs),
    share: observedMs === 0 ? 0 : rounded(Math.min(1, lostMs / observedMs), 3),
    workers: { pids: byWorst.map(({ pid }) => pid), of }
  }
}

/** @param {{ finding: Finding }[]} all */
function overOf (all) {
  const overs = all.flatMap(({ finding: { over } }) => over ?? [])
  return overs.length === 0 ? null : { from: Math.min(...overs.map(({ from }) => from)), to: Math.max(...overs.map(({ to }) => to)) }
}

/** @param {readonly Findings[]} answers @returns {Findings['figures']} */
function figuresOf (answers) {
  const known = (/** @type {keyof Findings['figures']} */ name) => answers.flatMap(({ figures }) => figures[name] ?? [])
  const most = (/** @type {number[]} */ values) => values.length === 0 ? null : Math.max(...values)
  const total = (/** @type {number[]} */ values) => values.length === 0 ? null : rounded(sum(values, value => value))
  const utilizations = known('utilization')
  return {
    delayP99Ms: most(known('delayP99Ms')),
    utilization: utilizations.length === 0 ? null : rounded(Number(total(utilizations.map(one => one * 1e3))) / 1e3 / utilizations.length, 3),
    workers: total(known('workers')),
    longestStallMs: most(known('longestStallMs')) ?? 0,
    stalls: total(known('stalls')) ?? 0,
    requestsPerSecond: total(known('requestsPerSecond')),
    requestsInFlight: total(known('requestsInFlight'))
  }
}

/**
 * Workers of one group do the same work: one that is clearly busier, larger or stalled more often than the rest has a reason of its own. Each is
 * compared with the median of the others.
 * @param {readonly FindingsPart[]} parts
 * @returns {GroupFinding[]}
 */
function findHotWorkers (parts) {
  if (parts.length < MIN_WORKERS) return []
  const workers = parts.map(toWorker)
  const hot = workers.map(worker => ({ worker, differences: differencesOf(worker, workers) })).filter(({ differences }) => differences.length > 0)
  // Where half of them differ, there is no majority to differ from.
  return hot.length * 2 >= workers.length ? [] : hot.map(({ worker, differences }) => hotWorkerFinding(worker, differences, workers.length))
}

/** @param {FindingsPart} part @returns {Worker} */
function toWorker ({ answer: { pid, observedSeconds, figures }, loop }) {
  return {
    pid,
    observedMs: observedSeconds * 1e3,
    utilization: figures.utilization,
    rssBytes: loop?.memory?.rssBytes ?? null,
    stalls: figures.stalls
  }
}

/** @param {Worker} worker @param {readonly Worker[]} workers @returns {Difference[]} */
function differencesOf (worker, workers) {
  return /** @type {(keyof typeof CLEAR)[]} */ (Object.keys(CLEAR)).flatMap(name => {
    const value = worker[name]
    const others = workers.filter(other => other !== worker).flatMap(other => other[name] ?? [])
    if (value === null || others.length < MIN_WORKERS - 1) return []
    const usual = median(others)
    return value - usual >= CLEAR[name].more && value >= usual * CLEAR[name].times ? [{ name, value, median: usual }] : []
  })
}

/** @param {Worker} worker @param {Difference[]} differences @param {number} of @returns {GroupFinding} */
function hotWorkerFinding ({ pid, observedMs }, differences, of) {
  const hotter = differences.find(({ name }) => name === 'utilization')
  const share = hotter === undefined ? 0 : hotter.value - hotter.median
  const what = differences.map(({ name, value, median }) => `${SHOWN[name](value)}, where the median of the others is ${SHOWN[name](median)}`)
  return {
    id: 'hot-worker',
    title: `One worker behaves differently: pid ${pid}, ${SHOWN[differences[0].name](differences[0].value)}`,
    severity: 'warning',
    share: rounded(share, 3),
    lostMs: rounded(share * observedMs),
    since: null,
    over: null,
    where: null,
    what: `Process ${pid}: ${what.join('; ')}.${hotter === undefined ? '' : ` That is ${duration(share * observedMs)} more work.`}`,
    why: 'Workers of one group should do the same work. One that differs has connections, jobs or tenants that the others do not have, or it leaks memory.',
    instead: 'Find out what only this worker does: which requests, which timers, which cache. Long-lived connections are not redistributed when workers are added.',
    evidence: Object.fromEntries(differences.flatMap(({ name, value, median }) => [[name, rounded(value, 3)], [`${name}OfOthers`, rounded(median, 3)]])),
    confidence: 'medium',
    prediction: null,
    again: null,
    next: [`npx loopscope why ${pid}`, `npx loopscope profile ${pid}`],
    workers: { pids: [pid], of }
  }
}

module.exports = { RANKS, byWeight, mergeFindings }
