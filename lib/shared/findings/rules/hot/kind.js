'use strict'

// What kind of work a spot is, by what was called there. Pure.

const { apiOf } = require('../../api-names')

/** @import { Finding } from '../../../../../types/findings' */
/** @import { Spot } from '../../readings' */

const JSON_CALLS = new Set(['JSON.parse', 'JSON.stringify', 'parse', 'stringify'])
// Half of a spot: then mending the call mends the spot.
const MIN_SYNC_SHARE = 0.5
// Tasks that do next to nothing leave the queue a fifth to nine tenths of the time, one that works for milliseconds a hundredth.
const MIN_QUEUE_SHARE = 0.1

/**
 * @param {Spot} spot
 * @returns {Finding['id'] | 'start-up'}
 */
function kindOf (spot) {
  const { culprit, text, sync, ms, queueMs, isLogging, isStartUp, origin } = spot
  if (isStartUp || (sync?.api === 'require' && sync.share >= MIN_SYNC_SHARE)) return 'start-up'
  // It ran again and again with little to do each time. Where it has much to do, whatever is awaited on the line, that is what took the time.
  if (queueMs >= (ms + queueMs) * MIN_QUEUE_SHARE) return 'task-flood'
  if (isLogging) return 'hot-logging'
  if (JSON_CALLS.has(culprit.call ?? '') || jsonOn(spot) !== null) return 'hot-json'
  if (apiOf(culprit.call) !== null || (sync?.share ?? 0) >= MIN_SYNC_SHARE) return 'hot-sync-call'
  if (culprit.via !== null || origin === 'dependency') return 'hot-dependency'
  // V8 has no frame for reading the time: it is on the line, or nowhere.
  if (culprit.call === null && /\b(Date\.now|new Date|performance\.now|process\.hrtime(\.bigint)?) *\(/.test(text)) return 'hot-clock'
  return 'hot-function'
}

/**
 * The builtin that is written on the line, where no other call there is known: V8 has no frame for it, and interrupts it late.
 * @param {Spot} spot
 * @returns {string | null}
 */
function jsonOn ({ culprit, text }) {
  const isCallThere = culprit.call !== null && text.includes(`${culprit.call.split('.').at(-1)}(`)
  return !isCallThere && culprit.via === null ? /\bJSON\.(parse|stringify)(?= *\()/.exec(text)?.[0] ?? null : null
}

module.exports = { jsonOn, kindOf }
