'use strict'

// Adds up where the requests of all processes of a group wait. Pure.

/** @import { RouteWaits, SerialWaits, WaitLine, Waits } from '../../../types/waits' */
/** @import { GroupWaits } from '../../../types/group' */

/** @typedef {{ member: { pid: number }, answer: Waits }} Part */

const MAX_LINES = 50 // as of one process
const MAX_SERIAL = 5
const ANSWER_MS = 15_000 // after the time of sampling: source maps are read

/**
 * @param {{ seconds?: number, route?: string }} wanted
 * @returns {{ query: string, withinMs: number }} the question to each process
 */
function waitsQuestion ({ seconds, route }) {
  const query = new URLSearchParams({ ...(seconds !== undefined && { seconds: String(seconds) }), ...(route !== undefined && { route }) })
  return { query: query.size === 0 ? '' : `?${query}`, withinMs: (seconds ?? 0) * 1e3 + ANSWER_MS }
}

/**
 * @param {readonly Part[]} parts
 * @returns {Pick<GroupWaits, 'seconds' | 'seen' | 'sampled' | 'seesCallbacks' | 'routes'>}
 */
function mergeWaits (parts) {
  const rows = parts.flatMap(({ member: { pid }, answer }) => answer.routes.map(route => ({ pid, ...route })))
  const seen = parts.flatMap(({ answer }) => answer.seen ?? [])
  return {
    seconds: parts[0]?.answer.seconds ?? null,
    seen: seen.length === 0 ? null : seen.reduce((all, one) => all + one, 0),
    sampled: sum(parts, ({ answer }) => answer.sampled),
    seesCallbacks: parts.length > 0 && parts.every(({ answer }) => answer.seesCallbacks),
    routes: groupBy(rows, ({ route }) => route).map(mergeRoute).sort((left, right) => right.totalMs - left.totalMs)
  }
}

/** @param {(RouteWaits & { pid: number })[]} rows  of one route */
function mergeRoute (rows) {
  const totalMs = sum(rows, ({ totalMs }) => totalMs)
  const lines = groupBy(rows.flatMap(({ lines }) => lines), keyOf).map(same => mergeLine(same, totalMs))
  const serial = groupBy(rows.flatMap(({ serial }) => serial), keyOf).map(mergeSerial)
  return {
    route: rows[0].route,
    pids: rows.map(({ pid }) => pid),
    requests: sum(rows, ({ requests }) => requests),
    open: sum(rows, ({ open }) => open),
    truncated: sum(rows, ({ truncated }) => truncated),
    totalMs,
    waitingMs: sum(rows, ({ waitingMs }) => waitingMs),
    unseenMs: sum(rows, ({ unseenMs }) => unseenMs),
    clientMs: sum(rows, ({ clientMs }) => clientMs),
    uploadMs: sum(rows, ({ uploadMs }) => uploadMs),
    lines: lines.sort((left, right) => right.ms + right.queuedMs - left.ms - left.queuedMs).slice(0, MAX_LINES),
    serial: serial.sort((left, right) => right.ms - left.ms).slice(0, MAX_SERIAL)
  }
}

/**
 * Percentiles cannot be added up: the median is that of the process in the middle, by requests, and p99 the highest.
 * @param {WaitLine[]} same  one line's, of each process
 * @param {number} totalMs
 * @returns {WaitLine}
 */
function mergeLine (same, totalMs) {
  const ms = sum(same, line => line.ms)
  const named = same.find(({ awaited, resumedBy }) => awaited !== null || resumedBy !== null) ?? same[0]
  return {
    ...named,
    callers: same.reduce((most, { callers }) => callers.length > most.length ? callers : most, named.callers),
    requests: sum(same, ({ requests }) => requests),
    waits: sum(same, ({ waits }) => waits),
    ms,
    queuedMs: sum(same, ({ queuedMs }) => queuedMs),
    poolMs: sum(same, ({ poolMs }) => poolMs),
    turnMs: sum(same, ({ turnMs }) => turnMs),
    sharedMs: sum(same, ({ sharedMs }) => sharedMs),
    share: totalMs === 0 ? 0 : Math.round(ms / totalMs * 1e4) / 1e4,
    p50Ms: middleOf(same),
    p99Ms: Math.max(...same.map(({ p99Ms }) => p99Ms)),
    maxMs: Math.max(...same.map(({ maxMs }) => maxMs))
  }
}

/** @param {WaitLine[]} same */
function middleOf (same) {
  const half = sum(same, ({ requests }) => requests) / 2
  let passed = 0
  const middle = same.toSorted((left, right) => left.p50Ms - right.p50Ms).find(({ requests }) => (passed += requests) >= half)
  return middle?.p50Ms ?? same[0].p50Ms
}

/**
 * @param {SerialWaits[]} same
 * @returns {SerialWaits}
 */
function mergeSerial (same) {
  const requests = sum(same, serial => serial.requests)
  return {
    ...same[0],
    awaits: requests === 0 ? 0 : rounded(sum(same, ({ awaits, requests }) => awaits * requests) / requests),
    maxAwaits: Math.max(...same.map(({ maxAwaits }) => maxAwaits)),
    requests,
    ms: sum(same, ({ ms }) => ms)
  }
}

/** @param {{ function: string, file: string, line: number }} place */
function keyOf ({ function: name, file, line }) {
  return JSON.stringify([name, file, line])
}

/**
 * @template T
 * @param {readonly T[]} all
 * @param {(one: T) => string} toKey
 * @returns {T[][]}
 */
function groupBy (all, toKey) {
  /** @type {Map<string, T[]>} */
  const groups = new Map()
  for (const one of all) {
    const same = groups.get(toKey(one))
    if (same === undefined) groups.set(toKey(one), [one])
    else same.push(one)
  }
  return [...groups.values()]
}

/**
 * @template T
 * @param {readonly T[]} all
 * @param {(one: T) => number} toNumber
 */
function sum (all, toNumber) {
  return rounded(all.reduce((so, one) => so + toNumber(one), 0))
}

/** @param {number} value */
function rounded (value) {
  return Math.round(value * 10) / 10
}

module.exports = { mergeWaits, waitsQuestion }
