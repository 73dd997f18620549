'use strict'

// Runs one capture in each process of a group; each writes to its own store. Captures that pause a process run one after the other, so that the rest
// of the service continues; a process that does not answer, or whose loop is blocked, does not delay the others.

const { Promise } = require('../../base/globals')
const { performance } = require('../../base/timers')
const { ANSWERS, readAnswer } = require('./answers')
const { askGroup } = require('./ask-group')

/** @import { Member } from './members' */
/** @import { GroupAnswer } from './ask-group' */

const STOPPING = new Set(['heap-snapshot', 'heap-histogram'])
const WAIT_SECONDS = 330 // the longest that a process lets a client wait
const EACH_MS = 10_000 // beyond the time to be recorded
const STOPPING_MS = 120_000 // gigabytes of heap, redacted
const TOTAL_MS = 300_000 // a connection is held for 330 s

/**
 * @typedef {object} CaptureOrder
 * @property {string} kind
 * @property {number} [seconds]
 * @property {Record<string, any>} body  for each process
 * @property {Record<string, string>} [headers]
 *
 * @typedef {GroupAnswer & { capture: any }} MemberCapture  capture: its description by the process; null: there is none
 */

/**
 * @param {readonly Member[]} members
 * @param {CaptureOrder} order
 * @param {AbortSignal} signal  the client has left: what is under way is cancelled, and nothing more begins
 * @returns {Promise<MemberCapture[]>} in the order of the members
 */
async function groupCaptures (members, order, signal) {
  if (!STOPPING.has(order.kind)) return Promise.all(members.map(member => captureOf(member, order, (order.seconds ?? 0) * 1e3 + EACH_MS, signal)))
  /** @type {Map<string, MemberCapture>} */
  const taken = new Map()
  for await (const one of capturesInTurn(members, order, signal)) taken.set(one.member.id, one)
  return members.flatMap(({ id }) => taken.get(id) ?? [])
}

/**
 * The next one begins when the one before has been taken from here.
 * @param {readonly Member[]} members
 * @param {CaptureOrder} order
 * @param {AbortSignal} signal
 * @param {number} [totalMs]
 * @returns {AsyncGenerator<MemberCapture>} those that do not answer first, those that are blocked last
 */
async function * capturesInTurn (members, order, signal, totalMs = TOTAL_MS) {
  const startMs = performance.now()
  const states = await askGroup(members, '/loop', { signal, maxBytes: ANSWERS.loop.maxBytes })
  for (const state of states) if (!state.up) yield { ...state, capture: null }
  const turns = states.filter(({ up }) => up).sort((left, right) => Number(isBlocked(left)) - Number(isBlocked(right)))
  for (const state of turns) {
    const leftMs = Math.min(STOPPING_MS, totalMs - (performance.now() - startMs))
    if (signal.aborted) return
    if (leftMs > 0) yield await captureOf(state.member, order, leftMs, signal)
    else yield { ...state, problem: `its turn did not come within ${totalMs / 1e3} s`, capture: null }
  }
}

/**
 * A connection that is dropped cancels what it waits for.
 * @param {Member} member
 * @param {CaptureOrder} order
 * @param {number} withinMs
 * @param {AbortSignal} signal
 * @returns {Promise<MemberCapture>}
 */
async function captureOf (member, { body, headers }, withinMs, signal) {
  const [answer] = await askGroup([member], '/captures', {
    method: 'POST',
    body,
    headers: { Prefer: `wait=${WAIT_SECONDS}`, ...headers },
    withinMs: Math.round(withinMs),
    maxBytes: ANSWERS.capture.maxBytes,
    signal
  })
  const { value, problem } = readAnswer(answer, 'capture')
  if (value?.artifact) return { ...answer, capture: value }
  return { ...answer, problem: problem ?? 'it is still at it', capture: null }
}

/** @param {GroupAnswer} state */
function isBlocked (state) {
  return readAnswer(state, 'loop').value?.isStale === true
}

module.exports = { capturesInTurn, groupCaptures }
