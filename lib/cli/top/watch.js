'use strict'

// One process that is watched: what it said last, and for how long it has said nothing. Each is asked for itself, so that one that is
// stuck keeps nobody else's figures.

const { setTimeout: sleep } = require('node:timers/promises')
const { performance } = require('../../shared/base/timers')
const { ANSWERS, EVENTS, OTHER_SHAPE } = require('../../shared/group/answers')

const MAX_STALLS = 8
const MAX_DELAYS = 600
const RETRY_MS = 1000

/**
 * @typedef {object} Watched
 * @property {string} name    as it was asked for
 * @property {any} facts      null until it answers
 * @property {any} now        what was said last of its loop; null until it answers
 * @property {number[]} delays  the longest of each second
 * @property {any[]} stalls   the newest first
 * @property {any} stuck      the stall it is in
 * @property {number} heardMs monotonic
 * @property {string | null} problem  why it does not answer
 */

/** @import { Shape } from '../../shared/base/shapes' */

/** @typedef {ReturnType<typeof import('../reach/client').createClient>} Client */

/**
 * @param {string} name
 * @returns {Watched}
 */
function createWatched (name) {
  return { name, facts: null, now: null, delays: [], stalls: [], stuck: null, heardMs: performance.now(), problem: null }
}

/**
 * Goes on until the signal comes, however often the process is gone meanwhile.
 * @param {Watched} watched
 * @param {Client} client
 * @param {AbortSignal} signal
 */
async function watch (watched, client, signal) {
  while (!signal.aborted) {
    try {
      await listen(watched, client)
    } catch (error) {
      if (signal.aborted) return
      watched.problem = /** @type {Error} */ (error).message.split('\n')[0]
    }
    await sleep(RETRY_MS, undefined, { signal }).catch(() => {})
  }
}

/**
 * @param {Watched} watched
 * @param {Client} client
 */
async function listen (watched, client) {
  watched.facts = checked(await client.json('/'), ANSWERS.index.hasShape).facts
  watched.stalls = checked(await client.json(`/stalls?limit=${MAX_STALLS}`), ANSWERS.stalls.hasShape).stalls
  for await (const { name, data } of client.events('/live')) {
    if (Object.hasOwn(EVENTS, name)) note(watched, name, checked(data, EVENTS[name]))
    else watched.heardMs = performance.now()
  }
}

/**
 * @param {any} value
 * @param {Shape} hasShape
 */
function checked (value, hasShape) {
  if (!hasShape(value)) throw new Error(OTHER_SHAPE)
  return value
}

/**
 * @param {Watched} watched
 * @param {string} name  of an event
 * @param {any} data
 */
function note (watched, name, data) {
  watched.heardMs = performance.now()
  watched.problem = null
  if (name === 'stall') watched.stalls = [data, ...watched.stalls].slice(0, MAX_STALLS)
  if (name === 'stuck') watched.stuck = data
  if (name !== 'loop') return
  watched.now = data
  watched.delays = [...watched.delays, Math.max(data.maxDelayMs, data.blockedMs)].slice(-MAX_DELAYS)
  if (data.blockedMs === 0) watched.stuck = null
}

module.exports = { createWatched, watch }
