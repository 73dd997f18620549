'use strict'

// What the figures of the two halves say, in words. Pure: it runs nothing and prints nothing.

const { availableParallelism } = require('node:os')

const ROUTE = 'GET /auth'
const CALL = 'pbkdf2Sync'

const MIN_ANSWERED = 40 // two rounds of the twenty connections: below it the round that the end cuts off decides
const SAME_WITHIN = 0.1 // two loads on a machine that does other things, too, differ by this much by themselves

/** Stalls of the same code for the same cause, the heaviest group first. */
function groupStalls (records) {
  const groups = new Map()
  for (const record of records) {
    const key = keyOf(record)
    groups.set(key, [...groups.get(key) ?? [], record])
  }
  return [...groups.values()].map(describeGroup).sort((a, b) => b.totalMs - a.totalMs)
}

function describeGroup (records) {
  const worst = records.reduce((most, record) => record.stall.durationMs > most.stall.durationMs ? record : most)
  const { route, culprit, cause, durationMs } = worst.stall
  const totalMs = records.reduce((sum, { stall }) => sum + stall.durationMs, 0)
  return { route, culprit, cause, count: records.length, totalMs, worstMs: durationMs, example: worst.msg }
}

function keyOf ({ stall: { route, culprit, cause } }) {
  return JSON.stringify([route, culprit?.file, culprit?.line, culprit?.call, cause])
}

/** What is missing of the story; nothing when it held. */
function findGaps ({ groups, report }) {
  const gaps = []
  if (!groups.some(isExpected)) gaps.push(`no stall was reported with route ${ROUTE} and call ${CALL}`)
  if (!report.includes(CALL)) gaps.push(`the profile does not show ${CALL}`)
  return gaps
}

function isExpected ({ route, culprit }) {
  return route === ROUTE && culprit?.call === CALL
}

/** Three lines, none of which says more than was measured. */
function conclude ({ auth, auth2, groups }) {
  return [describeCause(groups), describeDelay(auth.delay, auth2.delay), describeThroughput(auth.load, auth2.load)]
}

function describeCause (groups) {
  const expected = groups.filter(isExpected)
  if (expected.length === 0) return `No stall was traced to ${CALL} in ${ROUTE}.`
  const [{ culprit }] = expected
  const count = expected.reduce((sum, group) => sum + group.count, 0)
  const worstMs = Math.max(...expected.map(group => group.worstMs))
  return `${culprit.call} in ${culprit.file}:${culprit.line} stopped the event loop ${count} ${count === 1 ? 'time' : 'times'}, for up to ${worstMs} ms: nobody else was answered meanwhile.`
}

function describeDelay (sync, async) {
  const change = `p99 of the loop delay: ${inMs(sync.p99Ms)} ms with /auth, ${inMs(async.p99Ms)} ms with /auth2`
  if (async.p99Ms < sync.p99Ms * (1 - SAME_WITHIN)) return `${change}: the asynchronous call left the loop free for other requests.`
  return `${change}: the asynchronous call did not help the loop here.`
}

function describeThroughput (sync, async) {
  if (Math.min(sync.answered, async.answered) < MIN_ANSWERED) return 'Too few requests were answered to compare how many the two can take.'
  const ratio = async.perSecond / sync.perSecond
  const how = ratio > 1 + SAME_WITHIN
    ? `${ratio.toFixed(2)} times as many requests per second as`
    : ratio < 1 - SAME_WITHIN ? `only ${ratio.toFixed(2)} times the requests per second of` : 'about as many requests per second as'
  const processors = availableParallelism()
  return `/auth2 answered ${how} /auth on ${processors} ${processors === 1 ? 'processor' : 'processors'}: the hashing itself costs the same.`
}

/** Below 1 ms the histogram has one bucket: nothing more is known. */
function inMs (ms) {
  if (ms < 1) return '<1'
  return ms >= 10 ? ms.toFixed(0) : ms.toFixed(1)
}

module.exports = { groupStalls, findGaps, conclude, inMs }
