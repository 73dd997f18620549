'use strict'

// Describes requests as short sentences: what one under way does or waits for, and why one was slow. Pure; it requires nothing, because the page
// loads this file as a script (html-page.js).

/** @import { RequestInFlight } from '../../../types/requests' */
/** @import { SlowRequest, SlowRequestStep } from '../../../types/slow-requests' */

const NO_ROUTE = 'code outside requests'
const SAME_ROUTE = 'other requests of the same route'
const NOTABLE_SHARE = 0.1
const MAIN_SHARE = 0.5

/** @param {Pick<RequestInFlight, 'route' | 'method'>} request */
function describeRoute ({ route, method }) {
  return route ?? `${method} (route not known yet)`
}

/**
 * @param {Pick<RequestInFlight, 'state' | 'waits'>} request
 * @param {string} where  the place of the running code; '': not known
 */
function describeState ({ state, waits }, where) {
  if (state === 'running') return where === '' ? 'running' : `running ${where}`
  if (state === 'sending') return waits.length === 0 ? 'sending the response' : `sending the response, waiting for ${describeCalls(waits)}`
  if (state === 'receiving') return 'waiting for the client to send the rest of the request'
  if (state === 'waiting') return waits.length === 0 ? 'waiting (no known call)' : `waiting for ${describeCalls(waits)}`
  return 'waiting for the event loop'
}

/** @param {RequestInFlight['waits']} waits */
function describeCalls ([longest, ...others]) {
  const { kind, operation, target, calls, ms } = longest
  const count = calls === 1 ? '' : ` (${calls} calls)`
  return `${kind} ${operation} ${target}${count} for ${showMs(ms)}${others.length === 0 ? '' : ` and ${others.length} more`}`
}

/** Why it was slow. @param {SlowRequest} request */
function describeSlow (request) {
  const cause = describeCause(request)
  return cause.startsWith('waited for ') ? `${cause}, not for the event loop` : cause
}

/** The same for a narrow column: a line of code is at its end. @param {SlowRequest} request */
function describeCause (request) {
  const { ownMs, behindMs, gcMs, waitingMs } = request
  const longest = Math.max(ownMs, behindMs, gcMs, waitingMs)
  if (longest === behindMs) return `waited ${request.unreadMs > request.behindMs / 2 ? 'up to ' : ''}${showMs(behindMs)} behind ${describeBehind(request)}`
  if (longest === ownMs) return 'its own code'
  return longest === gcMs ? 'garbage collection' : `waited for ${describeWaits(request)}`
}

/**
 * What took most of the time, and at which line, where that is known.
 * @param {Pick<SlowRequest, 'waits' | 'waitedAt' | 'waitingMs'>} request
 */
function describeWaits ({ waits, waitedAt, waitingMs }) {
  const [longest] = waits
  const line = waitedAt?.find(({ ms }) => ms >= waitingMs * MAIN_SHARE)
  const at = line === undefined ? '' : ` at ${line.function} ${line.file}:${line.line}`
  if (longest === undefined || longest.ms < waitingMs * MAIN_SHARE) return `${line?.awaited ?? 'I/O or a timer'}${at}`
  const { kind, operation, target, calls } = longest
  return `${kind} ${operation} ${target}${calls === 1 ? '' : ` (${calls} calls)`}${at}`
}

/**
 * Requests of a route that took their time together were slow for one reason: the slowest stands for all.
 * @template {SlowRequest & { pid?: number }} Request
 * @param {readonly Request[]} requests  slowest first
 * @returns {(Request & { others: Request[] })[]}
 */
function foldSimultaneous (requests) {
  /** @type {(Request & { others: Request[] })[]} */
  const folded = []
  for (const request of requests) {
    const same = folded.find(one => one.route === request.route && one.pid === request.pid && commonMs(one, request) >= one.durationMs * MAIN_SHARE)
    if (same === undefined) folded.push({ ...request, others: [] })
    else same.others.push(request)
  }
  return folded
}

/** In which both were under way. @param {SlowRequest} one @param {SlowRequest} other */
function commonMs (one, other) {
  return Math.min(one.at + one.durationMs, other.at + other.durationMs) - Math.max(one.at, other.at)
}

/** One part of it, without its times. @param {SlowRequestStep} step */
function describeStep ({ kind, route, call, line }) {
  if (kind === 'own') return 'its own code'
  if (kind === 'gc') return 'garbage collection'
  if (kind === 'behind') return `behind ${route ?? NO_ROUTE}`
  const what = call === null ? line?.awaited : `${call.kind} ${call.operation} ${call.target}`
  const at = line === null ? '' : ` at ${line.function} ${line.file}:${line.line}`
  return `waiting${what ? ` for ${what}` : ''}${at}`
}

/** @param {Pick<SlowRequest, 'route' | 'behindMs' | 'behind'>} request */
function describeBehind ({ route, behindMs, behind }) {
  const notable = behind.filter(({ ms }, index) => index === 0 || ms >= behindMs * NOTABLE_SHARE)
  const [first, ...others] = notable.map(({ route: other }) => other === route ? SAME_ROUTE : other ?? NO_ROUTE)
  return others.length === 0 ? first : `${first} and ${others.length} more`
}

/** @param {number} ms */
function showMs (ms) {
  return ms < 10_000 ? `${Math.round(ms)} ms` : `${(ms / 1e3).toFixed(1)} s`
}

module.exports = { describeBehind, describeCause, describeRoute, describeSlow, describeState, describeStep, foldSimultaneous }
