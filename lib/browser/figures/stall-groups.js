'use strict'

// Stalls as the page lists them: those of one route with one culprit are one row, so that a fault that happens all the time is read once.
// Pure; it requires nothing: the page has the same text as a script (html-page.js).

/**
 * @param {readonly any[]} stalls
 * @returns {{ key: string, route: string | null, culprit: any, causes: { cause: string, count: number }[], count: number, totalMs: number,
 *   worstMs: number, lastAt: number, stalls: any[] }[]} the most time first; within each, the newest stall first
 */
function groupStalls (stalls) {
  const groups = new Map()
  for (const stall of stalls) {
    const key = keyOf(stall)
    const group = groups.get(key) ?? { key, route: stall.route, culprit: stall.culprit, counts: new Map(), totalMs: 0, worst: stall, lastAt: 0, stalls: [] }
    groups.set(key, group)
    group.counts.set(stall.cause, (group.counts.get(stall.cause) ?? 0) + 1)
    group.totalMs += stall.durationMs
    group.lastAt = Math.max(group.lastAt, stall.at)
    if (stall.durationMs >= group.worst.durationMs) group.worst = stall
    group.stalls.push(stall)
  }
  return [...groups.values()].map(finish).sort((a, b) => b.totalMs - a.totalMs || b.lastAt - a.lastAt)
}

/** The line is no part of it: in one function it differs from sample to sample. */
function keyOf ({ route, culprit, cause }) {
  const who = culprit === null ? [cause] : [culprit.function, culprit.file, culprit.functionLine ?? culprit.line, culprit.call, culprit.via?.package]
  return JSON.stringify([route, ...who])
}

function finish ({ counts, worst, stalls, ...group }) {
  return {
    ...group,
    culprit: worst.culprit, // the longest one was sampled most often
    stack: worst.stack,
    worstMs: worst.durationMs,
    count: stalls.length,
    causes: [...counts].map(([cause, count]) => ({ cause, count })).sort((a, b) => b.count - a.count),
    stalls: stalls.sort((a, b) => b.at - a.at)
  }
}

/** Findings that are about a cause, not about a place. */
const CAUSES = { starved: 'starved', suspended: 'suspended', 'gc-pressure': 'gc' }

/**
 * Those that a finding is about: of its cause, of its function where it names one, else of its route.
 * @param {{ id: string, where: any }} finding
 * @param {readonly any[]} stalls
 */
function stallsOf ({ id, where }, stalls) {
  if (id in CAUSES) return stalls.filter(({ cause }) => cause === CAUSES[id])
  if (where === null) return []
  return stalls.filter(({ route, culprit }) => {
    if (where.file === '') return where.route !== null && route === where.route
    return culprit !== null && culprit.function === where.function && culprit.file === where.file
  })
}

module.exports = { groupStalls, stallsOf }
