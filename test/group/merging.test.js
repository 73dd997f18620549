'use strict'

// Answers of several processes as one. Pure.

const test = require('node:test')
const assert = require('node:assert/strict')
const { mergeFindings } = require('../../lib/shared/findings/merge-findings')
const { toGroupMarkdown, toGroupText } = require('../../lib/shared/findings/show')
const { mergeMemory, mergeSlowRequests, mergeStalls, mergeSyncCalls } = require('../../lib/shared/group/group-answers')
const { describeCoverage } = require('../../lib/shared/group/processes')

const PLACE = { function: 'login', file: 'login.js', line: 3, column: 1, functionLine: 3, via: null, route: 'POST /login' }

function finding (more) {
  return { id: 'hot-function', title: 'login holds the loop.', severity: 'warning', share: 0.1, lostMs: 1000, since: 5, what: '', where: PLACE, why: '', instead: '', evidence: {}, confidence: 'high', next: [], ...more }
}

function part (pid, { findings = [nothing()], utilization = 0.2, stalls = 0, rssBytes = 100e6, blockedMs = 0 } = {}) {
  const figures = { delayP99Ms: pid, utilization, longestStallMs: 0, stalls, requestsPerSecond: 10, requestsInFlight: null }
  return { member: { pid }, answer: { pid, observedSeconds: 10, blockedMs, figures, findings }, loop: { memory: { rssBytes } } }
}

const nothing = () => finding({ id: 'nothing-wrong', title: 'Nothing is wrong', severity: 'none', lostMs: 0, where: null })

test('the same finding at the same place is one, of all processes with it, with their total cost', () => {
  const worse = finding({ lostMs: 3000, severity: 'critical', since: 2 })
  const elsewhere = finding({ where: { ...PLACE, line: 99 }, lostMs: 100 })
  const { findings, observedSeconds, figures } = mergeFindings([part(1, { findings: [finding(), elsewhere] }), part(2, { findings: [worse] }), part(3)])
  assert.deepEqual(findings.map(({ lostMs, severity, share, since, workers }) => ({ lostMs, severity, share, since, workers })), [
    { lostMs: 4000, severity: 'critical', share: 0.133, since: 2, workers: { pids: [2, 1], of: 3 } },
    { lostMs: 100, severity: 'warning', share: 0.003, since: 5, workers: { pids: [1], of: 3 } }
  ])
  assert.deepEqual([observedSeconds, figures.delayP99Ms, figures.requestsPerSecond, figures.utilization], [10, 3, 30, 0.2])
})

test('nothing is wrong only where nothing is wrong anywhere; what is only to be known does not change that', () => {
  const little = finding({ id: 'too-little-seen', severity: 'none', lostMs: 0, where: null })
  const note = finding({ id: 'own-cost', severity: 'info' })
  const ids = parts => mergeFindings(parts).findings.map(({ id }) => id)
  assert.deepEqual(ids([part(1), part(2, { findings: [little, note] })]), ['nothing-wrong', 'own-cost'])
  assert.deepEqual(ids([part(1, { findings: [little] })]), ['too-little-seen'])
  assert.deepEqual(ids([part(1), part(2, { findings: [finding()] })]), ['hot-function'])
})

test('one that differs from the rest is a finding of its own; two of three, or a small difference, are none', () => {
  const hot = parts => mergeFindings(parts).findings.filter(({ id }) => id === 'hot-worker')
  const [found, ...more] = hot([part(1), part(2, { utilization: 0.9, stalls: 20, rssBytes: 400e6 }), part(3), part(4, { utilization: 0.3 })])
  assert.deepEqual([found.workers.pids, found.share, found.lostMs, more], [[2], 0.7, 7000, []])
  assert.match(found.what, /utilization 90 %, where the median of the others is utilization 20 %; 400 MB of memory.*; 20 stalls/)
  assert.deepEqual(hot([part(1), part(2, { utilization: 0.9 }), part(3, { utilization: 0.9 })]), [])
  assert.deepEqual(hot([part(1), part(2, { utilization: 0.9 })]), [], 'of two nobody is the rest')
  assert.deepEqual(hot([part(1), part(2, { utilization: 0.35 }), part(3)]), [])
})

test('text and Markdown list the processes, and in which workers a finding is', () => {
  const answer = { group: 'shop', ...mergeFindings([part(1, { findings: [finding()], blockedMs: 900 }), part(2)]) }
  const whole = describeCoverage([{ pid: 1, problem: null }, { pid: 2, problem: null }, { pid: 3, problem: 'no answer in 2.5 s' }])
  assert.equal(whole, '2 of 3 processes answered; 1 did not: 3 (no answer in 2.5 s)')
  assert.match(toGroupText(answer, whole), /^group shop, observed 10 s: .*1 process blocked now \(pid 1\)\n2 of 3 processes answered; .*\n\n1\. WARNING: login holds the loop, in 1 of 2 workers \(pid 1\)\n/)
  assert.match(toGroupMarkdown(answer, whole), /^# group shop.*\n\n2 of 3[^]*\n## 1\. WARNING: login holds the loop, in 1 of 2/)
  assert.equal(describeCoverage([{ problem: null }, { problem: null }]), 'all 2 processes answered')
})

test('stalls are interleaved with their process, totals added up, and current ones shown', () => {
  const stalls = (times, more) => ({ stalls: times.map(at => ({ at, id: at })), current: null, blockedMs: 0, totals: { count: times.length, blockedMs: 10 * times.length, byCause: [{ cause: 'gc', count: 1, ms: 5 }], byRoute: [{ route: 'GET /a', count: times.length, ms: 10 }] }, ...more })
  const merged = mergeStalls([
    { member: { pid: 1 }, answer: stalls([5, 3]) },
    { member: { pid: 2 }, answer: stalls([4], { blockedMs: 700, current: { route: 'GET /b', durationMs: 700 } }) }
  ])
  assert.deepEqual(merged.stalls.map(({ pid, at }) => [pid, at]), [[1, 5], [2, 4], [1, 3]])
  assert.deepEqual(merged.blocked, [{ pid: 2, blockedMs: 700 }])
  assert.deepEqual(merged.current, [{ pid: 2, route: 'GET /b', durationMs: 700 }])
  assert.deepEqual(merged.totals, { count: 3, blockedMs: 30, byCause: [{ cause: 'gc', count: 2, ms: 10 }], byRoute: [{ route: 'GET /a', count: 3, ms: 20 }] })
  const many = mergeStalls([1, 2].map(pid => ({ member: { pid }, answer: stalls(Array.from({ length: 200 }, (_, at) => at)) })))
  assert.equal(many.stalls.length, 200)
})

test('synchronous calls of several processes at one place are one row; slow requests are ranked over all', () => {
  const call = { api: 'fs.readFileSync', callSite: PLACE, flagged: false, advice: {}, routes: [{ route: 'GET /a', ms: 10 }], ms: 10, share: 0.2 }
  const counted = { ...call, calls: 3, totalMs: 10, maxMs: 4, standardError: { calls: 3, totalMs: 0 }, routes: [{ route: 'GET /a', calls: 3, ms: 10 }] }
  const answer = { sampled: [call], exact: [counted], totals: [{ api: 'fs.readFileSync', calls: 3, totalMs: 10 }], pool: { queued: 1, maxWaitMs: 5 } }
  const merged = mergeSyncCalls([{ member: { pid: 1 }, answer }, { member: { pid: 2 }, answer: { ...answer, sampled: [{ ...call, flagged: true }] } }, { member: { pid: 3 }, answer: { sampled: [], exact: null, totals: null, pool: null } }])
  assert.deepEqual(merged.sampled.map(({ ms, share, pids, flagged, routes }) => ({ ms, share, pids, flagged, routes })), [{ ms: 20, share: 0.4 / 3, pids: [1, 2], flagged: true, routes: [{ route: 'GET /a', ms: 20 }] }])
  assert.deepEqual(merged.exact.map(({ calls, totalMs, standardError, maxMs }) => [calls, totalMs, standardError.calls, maxMs]), [[6, 20, 4, 4]])
  assert.deepEqual([merged.totals, merged.pool], [[{ api: 'fs.readFileSync', calls: 6, totalMs: 20 }], { queued: 2, maxWaitMs: 5 }])
  const { requests } = mergeSlowRequests([{ member: { pid: 1 }, answer: { requests: [{ durationMs: 5 }] } }, { member: { pid: 2 }, answer: { requests: [{ durationMs: 9 }] } }])
  assert.deepEqual(requests, [{ pid: 2, durationMs: 9 }, { pid: 1, durationMs: 5 }])
})

test('the memory of the processes is side by side, the largest first, and the workers of one are one owner', () => {
  const memory = (pid, ...owners) => ({
    member: { pid },
    answer: { rssBytes: owners.reduce((sum, [, bytes]) => sum + bytes, 0), owners: owners.map(([owner, bytes, name = null]) => ({ owner, name, bytes })), growing: [], container: null, isStale: false }
  })
  const { members } = mergeMemory([memory(1, ['heap', 5]), memory(2, ['worker', 6, 'a'], ['worker', 7, 'b'])])
  assert.deepEqual(members.map(({ pid, owners }) => ({ pid, owners })), [{ pid: 2, owners: [{ owner: 'worker', bytes: 13 }] }, { pid: 1, owners: [{ owner: 'heap', bytes: 5 }] }])
})
