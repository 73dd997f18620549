'use strict'

// Calculations on the answers of the server. Pure; it requires nothing, because the page loads this file as a script (html-page.js), and tests require it.

const LOWEST_MS = 1 // shorter delays are drawn as this: they do not matter, and a logarithmic scale has no zero
const LEAST_TOP_MS = 1000 // the least top of the scale, so that a healthy loop looks healthy
const MAX_PEAKS = 3
const SECOND_MS = 1000
const DAY_MS = 24 * 60 * 60_000
const WINDOW_MS = 5000 // requests per second are averaged over this: single seconds vary too much

/** Findings about a cause rather than a position in the code. */
const CAUSES = { starved: 'starved', suspended: 'suspended', 'gc-pressure': 'gc' }

/** Delays are drawn on a logarithmic scale, on which both 5 ms and 20 s can be read. @param {number | null} ms */
function toScale (ms) {
  return ms === null ? null : Math.max(LOWEST_MS, ms)
}

/**
 * The lower and upper end of the scale: powers of ten.
 * @param {readonly (number | null)[]} values
 * @returns {[number, number]}
 */
function scaleOf (values) {
  const highest = values.reduce((most, value) => Math.max(most, value ?? 0), LEAST_TOP_MS)
  return [LOWEST_MS, 10 ** Math.ceil(Math.log10(highest) - 1e-9)]
}

/**
 * The grid lines of the scale.
 * @param {number} top
 */
function stepsTo (top) {
  return Array.from({ length: Math.round(Math.log10(top / LOWEST_MS)) + 1 }, (_, power) => LOWEST_MS * 10 ** power)
}

/** @param {number} ms  a power of ten */
function labelOf (ms) {
  return ms < 1000 ? `${ms} ms` : `${ms / 1000} s`
}

/**
 * The indexes of the points that get a label, highest first.
 * @param {readonly number[]} times
 * @param {readonly (number | null)[]} values
 * @param {{ leastMs: number, apart: number }} limits  the lowest value of a peak; the least distance between two peaks, in the unit of `times`
 */
function peaksOf (times, values, { leastMs, apart }) {
  const candidates = [...values.keys()].filter(index => values[index] >= leastMs).sort((a, b) => values[b] - values[a])
  const peaks = []
  for (const index of candidates) {
    if (peaks.length === MAX_PEAKS) break
    if (peaks.every(peak => Math.abs(times[peak] - times[index]) >= apart)) peaks.push(index)
  }
  return peaks
}

/**
 * Finds a place for a label where none is yet.
 * @typedef {{ left: number, top: number, width: number, height: number }} Box
 * @param {readonly Box[]} places  the best first
 * @param {Box[]} taken  takes the one found
 * @returns {Box | null} null: each of them would overprint another label
 */
function placeLabel (places, taken) {
  const free = places.find(place => taken.every(other => !overlap(place, other))) ?? null
  if (free !== null) taken.push(free)
  return free
}

/**
 * @param {Box} a
 * @param {Box} b
 */
function overlap (a, b) {
  return a.left < b.left + b.width && b.left < a.left + a.width && a.top < b.top + b.height && b.top < a.top + a.height
}

/**
 * The time range that the recorder holds, from which a profile can be cut, in whole seconds, like the inputs of the page.
 * @param {{ off: string | null, fromMs: number | null }} recorder
 * @param {{ startedAt: number, now: number }} times
 * @returns {{ fromMs: number, toMs: number } | null} null: nothing is recorded
 */
function recordedRange ({ off, fromMs }, { startedAt, now }) {
  if (off !== null) return null
  // Before its first window has ended the recorder holds everything since the start.
  const from = Math.min(fromMs ?? startedAt, now - SECOND_MS)
  return { fromMs: Math.floor(from / SECOND_MS) * SECOND_MS, toMs: Math.ceil(now / SECOND_MS) * SECOND_MS }
}

/**
 * A selection outside of the recorded range is moved into it.
 * @param {{ fromMs: number, toMs: number }} wanted
 * @param {{ fromMs: number, toMs: number }} range
 * @returns {{ fromMs: number, toMs: number, isMoved: boolean }} at least one second long
 */
function clampRange (wanted, range) {
  const fromMs = clamp(wanted.fromMs, range.fromMs, range.toMs - SECOND_MS)
  const toMs = clamp(wanted.toMs, fromMs + SECOND_MS, range.toMs)
  return { fromMs, toMs, isMoved: fromMs !== wanted.fromMs || toMs !== wanted.toMs }
}

function clamp (value, least, most) {
  return Math.max(least, Math.min(most, value))
}

/**
 * The last such time of day that is not in the future.
 * @param {string} text  `12:03:10`, in the time zone of the browser
 * @param {number} latestMs
 * @returns {number | null} null: not a time
 */
function timeOfDay (text, latestMs) {
  const [, hours, minutes, seconds = '0'] = /^(\d\d):(\d\d)(?::(\d\d))?/.exec(text) ?? []
  if (hours === undefined) return null
  const at = new Date(latestMs).setHours(Number(hours), Number(minutes), Number(seconds), 0)
  // Half a day: a time slightly in the future means today; clampRange() moves it.
  return at - latestMs > DAY_MS / 2 ? at - DAY_MS : at
}

/**
 * Keeps the numbers of requests answered since the start, one a second, from which perSecond() is computed.
 * @param {readonly { at: number, answered: number }[]} readings  the oldest first
 * @param {{ at: number, answered: number }} reading
 * @returns {{ at: number, answered: number }[]} what to keep
 */
function addReading (readings, reading) {
  const last = readings.at(-1)
  if (last === undefined || reading.answered < last.answered) return [reading] // the process was restarted
  if (reading.at <= last.at) return [...readings]
  const kept = [...readings, reading]
  return kept.filter(({ at }, index) => index === kept.length - 1 || reading.at - at <= WINDOW_MS)
}

/**
 * @param {readonly { at: number, answered: number }[]} readings
 * @returns {number | null} null: not known yet
 */
function perSecond (readings) {
  const [first] = readings
  const last = readings.at(-1)
  if (first === undefined || last.at === first.at) return null
  return (last.answered - first.answered) / ((last.at - first.at) / 1000)
}

/**
 * Where the time of a slow request went, as the segments of a bar.
 * @param {{ durationMs: number, ownMs: number, behindMs: number, gcMs: number, waitingMs: number }} request
 * @returns {{ kind: 'own' | 'behind' | 'gc' | 'waiting', ms: number, share: number }[]} without parts under 1 ms
 */
function partsOf ({ durationMs, ownMs, behindMs, gcMs, waitingMs }) {
  const parts = Object.entries({ own: ownMs, behind: behindMs, gc: gcMs, waiting: waitingMs }).map(([kind, ms]) => ({ kind, ms })).filter(({ ms }) => ms >= 1)
  const whole = Math.max(durationMs, parts.reduce((sum, { ms }) => sum + ms, 0))
  return parts.map(part => ({ ...part, share: part.ms / whole }))
}

/**
 * Stalls with the same route and culprit are one row, so that a recurring problem is listed once.
 * @param {readonly any[]} stalls
 * @returns {{ key: string, route: string | null, culprit: any, causes: { cause: string, count: number }[], count: number, totalMs: number,
 *   worstMs: number, lastAt: number, stalls: any[] }[]} most total time first; within a group, the newest stall first
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

/** Without the line: within one function it differs from sample to sample. */
function keyOf ({ route, culprit, cause }) {
  const culpritKey = culprit === null ? [cause] : [culprit.function, culprit.file, culprit.functionLine ?? culprit.line, culprit.call, culprit.via?.package]
  return JSON.stringify([route, ...culpritKey])
}

function finish ({ counts, worst, stalls, ...group }) {
  return {
    ...group,
    culprit: worst.culprit, // the longest stall has the most samples
    stack: worst.stack,
    worstMs: worst.durationMs,
    count: stalls.length,
    causes: [...counts].map(([cause, count]) => ({ cause, count })).sort((a, b) => b.count - a.count),
    stalls: stalls.sort((a, b) => b.at - a.at)
  }
}

/**
 * The stalls that a finding is about: those with its cause, with its function if it names one, otherwise on its route.
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

/** @param {{ file: string }} frame */
function originOf ({ file }) {
  if (file === '' || file.startsWith('node:')) return 'node'
  return /(^|\/)node_modules\//.test(file) ? 'dependency' : 'app'
}

/**
 * Splits a stack: each frame of the application on its own, because the reader can change it, the frames between two of them as one group.
 * @param {readonly any[]} stack  innermost first
 * @returns {({ isOwn: true, frame: any } | { isOwn: false, frames: any[] })[]}
 */
function foldStack (stack) {
  const pieces = []
  for (const frame of stack) {
    const last = pieces.at(-1)
    if (originOf(frame) === 'app') pieces.push({ isOwn: true, frame })
    else if (last !== undefined && !last.isOwn) last.frames.push(frame)
    else pieces.push({ isOwn: false, frames: [frame] })
  }
  return pieces
}

/** @param {readonly any[]} frames  of packages and Node.js */
function describeFolded (frames) {
  const packages = new Set(frames.filter(frame => originOf(frame) === 'dependency').map(packageOf))
  const owners = [...packages, ...(frames.some(frame => originOf(frame) === 'node') ? ['Node.js'] : [])]
  return `${frames.length} ${frames.length === 1 ? 'frame' : 'frames'} of ${owners.join(', ')}`
}

function packageOf ({ file }) {
  const [, name] = /.*(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file) ?? []
  return name ?? file
}

/**
 * What the culprit called: `pbkdf2Sync`, `lodash cloneDeep`; empty if it ran its own code.
 * @param {{ call: string | null, via: { package: string, function: string, through: { package: string, function: string } | null } | null }} culprit
 */
function calledBy ({ call, via }) {
  const names = [via, via?.through].map(entered => entered && (entered.function === '(anonymous)' ? entered.package : `${entered.package} ${entered.function}`))
  return [...names, call].filter(Boolean).join(' → ')
}

module.exports = {
  addReading,
  calledBy,
  clampRange,
  describeFolded,
  foldStack,
  groupStalls,
  labelOf,
  originOf,
  partsOf,
  peaksOf,
  perSecond,
  placeLabel,
  recordedRange,
  scaleOf,
  stallsOf,
  stepsTo,
  timeOfDay,
  toScale
}
