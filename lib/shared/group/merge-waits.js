'use strict'

// Adds up where the requests of all processes of a group wait. Pure.

const { URLSearchParams } = require('../../base/globals')
const { groupBy, sum, sumToTenths } = require('../../base/sums')
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
    seen: seen.length === 0 ? null : sum(seen),
    sampled: sumToTenths(parts, ({ answer }) => answer.sampled),
    seesCallbacks: parts.length > 0 && parts.every(({ answer }) => answer.seesCallbacks),
    routes: [...groupBy(rows, ({ route }) => route).values()].map(mergeRoute).sort((left, right) => right.totalMs - left.totalMs)
  }
}

/** @param {(RouteWaits & { pid: number })[]} rows  of one route */
function mergeRoute (rows) {
  const totalMs = sumToTenths(rows, ({ totalMs }) => totalMs)
  const lines = [...groupBy(rows.flatMap(({ lines }) => lines), keyOf).values()].map(same => mergeLine(same, totalMs))
  const serial = [...groupBy(rows.flatMap(({ serial }) => serial), keyOf).values()].map(mergeSerial)
  return {
    route: rows[0].route,
    pids: rows.map(({ pid }) => pid),
    requests: sumToTenths(rows, ({ requests }) => requests),
    open: sumToTenths(rows, ({ open }) => open),
    truncated: sumToTenths(rows, ({ truncated }) => truncated),
    totalMs,
    waitingMs: sumToTenths(rows, ({ waitingMs }) => waitingMs),
    unseenMs: sumToTenths(rows, ({ unseenMs }) => unseenMs),
    clientMs: sumToTenths(rows, ({ clientMs }) => clientMs),
    uploadMs: sumToTenths(rows, ({ uploadMs }) => uploadMs),
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
  const ms = sumToTenths(same, line => line.ms)
  const named = same.find(({ awaited, resumedBy }) => awaited !== null || resumedBy !== null) ?? same[0]
  return {
    ...named,
    callers: same.reduce((most, { callers }) => callers.length > most.length ? callers : most, named.callers),
    requests: sumToTenths(same, ({ requests }) => requests),
    waits: sumToTenths(same, ({ waits }) => waits),
    ms,
    queuedMs: sumToTenths(same, ({ queuedMs }) => queuedMs),
    poolMs: sumToTenths(same, ({ poolMs }) => poolMs),
    turnMs: sumToTenths(same, ({ turnMs }) => turnMs),
    sharedMs: sumToTenths(same, ({ sharedMs }) => sharedMs),
    share: totalMs === 0 ? 0 : Math.round(ms / totalMs * 1e4) / 1e4,
    p50Ms: middleOf(same),
    p99Ms: Math.max(...same.map(({ p99Ms }) => p99Ms)),
    maxMs: Math.max(...same.map(({ maxMs }) => maxMs))
  }
}

/** @param {WaitLine[]} same */
function middleOf (same) {
  const half = sumToTenths(same, ({ requests }) => requests) / 2
  let passed = 0
  const middle = same.toSorted((left, right) => left.p50Ms - right.p50Ms).find(({ requests }) => (passed += requests) >= half)
  return middle?.p50Ms ?? same[0].p50Ms
}

/** @param {SerialWaits[]} same @returns {SerialWaits} */
function mergeSerial (same) {
  const requests = sumToTenths(same, serial => serial.requests)
  return {
    ...same[0],
    awaits: requests === 0 ? 0 : Math.round(sum(same, ({ awaits, requests }) => awaits * requests) / requests * 10) / 10,
    maxAwaits: Math.max(...same.map(({ maxAwaits }) => maxAwaits)),
    requests,
    ms: sumToTenths(same, ({ ms }) => ms)
  }
}

/** @param {{ function: string, file: string, line: number }} place */
function keyOf ({ function: name, file, line }) {
  return JSON.stringify([name, file, line])
}

module.exports = { mergeWaits, waitsQuestion }
