'use strict'

// The two readings at the ends of a rule's window, for what is counted since the start. Pure.

/** @import { LoopCounts, Readings } from './conditions' */

// Where nothing of the first half is known, the window has not been seen.
const MIN_SEEN_SHARE = 0.5
// A reading is taken every five seconds: one that is older was not renewed, because the loop does not turn.
const MAX_AGE_MS = 15_000

/**
 * @param {Pick<Readings, 'loop' | 'nowMs'>} readings
 * @param {{ withinSeconds: number }} rule
 * @returns {{ first: LoopCounts, last: LoopCounts } | null} null: it cannot be told
 */
function windowOf ({ loop, nowMs }, { withinSeconds }) {
  const last = loop.at(-1)
  if (last === undefined || nowMs - last.atMs > MAX_AGE_MS) return null
  const windowMs = withinSeconds * 1e3
  const first = loop.find(({ atMs }) => atMs >= last.atMs - windowMs)
  return first !== undefined && last.atMs - first.atMs >= windowMs * MIN_SEEN_SHARE ? { first, last } : null
}

module.exports = { windowOf }
