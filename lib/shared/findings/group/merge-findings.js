'use strict'

// The findings of all processes of a group as one ranked answer: what several of them have at the same place is one finding, and one
// that is hotter than the rest is a finding of its own. Nothing is wrong only where nothing is wrong anywhere. Pure.

const { RANKS } = require('../find-findings')
const { rounded } = require('../words')
const { findHotWorkers } = require('./hot-worker')

/** @import { Finding, Findings } from '../../../../types/findings' */
/** @import { GroupFinding, GroupFindings } from '../../../../types/group' */

/** @typedef {{ answer: Findings, loop: { memory: { rssBytes: number } | null } | null }} FindingsPart  of one process */

/**
 * @param {readonly FindingsPart[]} parts
 * @returns {Pick<GroupFindings, 'observedSeconds' | 'blocked' | 'figures' | 'findings'>}
 */
function mergeFindings (parts) {
  const answers = parts.map(({ answer }) => answer)
  const found = [...merged(answers), ...findHotWorkers(parts)]
  const ranked = found.sort((left, right) => RANKS[left.severity] - RANKS[right.severity] || right.lostMs - left.lostMs)
  const isSomethingWrong = ranked.some(({ severity }) => severity === 'critical' || severity === 'warning')
  const told = isSomethingWrong ? ranked.filter(({ severity }) => severity !== 'none') : [...otherwise(ranked), ...ranked.filter(isInfo)]
  return {
    observedSeconds: Math.max(0, ...answers.map(({ observedSeconds }) => observedSeconds)),
    blocked: answers.filter(({ blockedMs }) => blockedMs > 0).map(({ pid, blockedMs }) => ({ pid, blockedMs })),
    figures: figuresOf(answers),
    findings: told
  }
}

/** @param {Pick<Finding, 'severity'>} finding */
function isInfo ({ severity }) {
  return severity === 'info'
}

/**
 * Where one process has seen enough to say that nothing is wrong, the others have not seen more than too little.
 * @param {readonly GroupFinding[]} ranked
 */
function otherwise (ranked) {
  const none = ranked.filter(({ severity }) => severity === 'none')
  return [none.find(({ id }) => id === 'nothing-wrong') ?? none[0]].filter(finding => finding !== undefined)
}

/**
 * @param {readonly Findings[]} answers
 * @returns {GroupFinding[]}
 */
function merged (answers) {
  /** @type {Map<string, { finding: Finding, pid: number }[]>} */
  const same = new Map()
  for (const { pid, findings } of answers) {
    for (const finding of findings) {
      const key = keyOf(finding)
      same.set(key, [...(same.get(key) ?? []), { finding, pid }])
    }
  }
  const observedMs = answers.reduce((sum, { observedSeconds }) => sum + observedSeconds * 1e3, 0)
  return [...same.values()].map(all => toGroupFinding(all, { of: answers.length, observedMs }))
}

/** @param {Finding} finding */
function keyOf ({ id, where, over }) {
  return JSON.stringify([id, Boolean(over), where && [where.function, where.file, where.line, where.via]])
}

/**
 * As the worst of them tells it.
 * @param {{ finding: Finding, pid: number }[]} all  the same, of several processes
 * @param {{ of: number, observedMs: number }} group
 * @returns {GroupFinding}
 */
function toGroupFinding (all, { of, observedMs }) {
  const byWorst = all.toSorted((left, right) => right.finding.lostMs - left.finding.lostMs)
  const [{ finding }] = byWorst
  const lostMs = all.reduce((sum, one) => sum + one.finding.lostMs, 0)
  const sinces = all.flatMap(one => one.finding.since ?? [])
  const [severity] = all.map(one => one.finding.severity).sort((left, right) => RANKS[left] - RANKS[right])
  return {
    ...finding,
    severity,
    over: overOf(all),
    since: sinces.length === 0 ? null : Math.min(...sinces),
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

/**
 * @param {readonly Findings[]} answers
 * @returns {Findings['figures']}
 */
function figuresOf (answers) {
  const known = (/** @type {keyof Findings['figures']} */ name) => answers.flatMap(({ figures }) => figures[name] ?? [])
  const most = (/** @type {number[]} */ values) => values.length === 0 ? null : Math.max(...values)
  const sum = (/** @type {number[]} */ values) => values.length === 0 ? null : rounded(values.reduce((left, right) => left + right, 0))
  const utilizations = known('utilization')
  return {
    delayP99Ms: most(known('delayP99Ms')),
    utilization: utilizations.length === 0 ? null : rounded(Number(sum(utilizations.map(one => one * 1e3))) / 1e3 / utilizations.length, 3),
    workers: sum(known('workers')),
    longestStallMs: most(known('longestStallMs')) ?? 0,
    stalls: sum(known('stalls')) ?? 0,
    requestsPerSecond: sum(known('requestsPerSecond')),
    requestsInFlight: sum(known('requestsInFlight'))
  }
}

module.exports = { mergeFindings }
