'use strict'

// The last stalls, and how many there have been of each cause. Totals are never reset; the list is bounded.

/** @import { Cause, Stall } from '../../types/diagnostics' */

const MAX_STALLS = 200
const LOGGED_FRAMES = 10 // of the stack, innermost first: down to the handler and the router that called it

/** @type {readonly Cause[]} */
const CAUSES = Object.freeze(['code', 'gc', 'starved', 'suspended', 'unknown'])

function createStallLog () {
  return new StallLog()
}

class StallLog {
  /** @type {Stall[]} */
  #stalls = []
  #totals = new Map(CAUSES.map(cause => [cause, { cause, count: 0, seconds: 0 }]))

  /** @param {Stall} stall */
  add (stall) {
    this.#stalls.push(stall)
    if (this.#stalls.length > MAX_STALLS) this.#stalls.shift()
    const total = /** @type {{ count: number, seconds: number }} */ (this.#totals.get(stall.cause))
    total.count++
    total.seconds += stall.durationMs / 1e3
  }

  /** Newest first. */
  list () {
    return this.#stalls.toReversed()
  }

  totals () {
    return [...this.#totals.values()].map(total => ({ ...total }))
  }
}

/**
 * The report as it goes into a log: whole stacks make lines of 7 KB, which is long enough to fill a pipe that is read slowly.
 * @template {{ stack: Stall['stack'] }} T
 * @param {T} stall
 * @returns {T}
 */
function toLogFields (stall) {
  return { ...stall, stack: stall.stack.slice(0, LOGGED_FRAMES) }
}

/**
 * One line for a person.
 * @param {Stall} stall
 */
function describeStall ({ durationMs, cause, route, culprit, evidence }) {
  const what = `event loop stalled ${durationMs} ms`
  const where = route === null ? '' : ` in ${route}`
  const why = `${cause}${describeEvidence(cause, evidence)}`
  if (culprit === null) return `${what}${where}: ${why}`
  const call = culprit.call === null ? '' : `${culprit.call} called by `
  return `${what}${where}: ${call}${culprit.function} (${culprit.file}:${culprit.line}), cause ${why}`
}

/**
 * @param {Cause} cause
 * @param {Stall['evidence']} evidence
 */
function describeEvidence (cause, { runQueueMs, throttledMs, gcMs }) {
  const found = []
  if (cause === 'gc' && gcMs) found.push(`${Math.round(gcMs)} ms of garbage collection`)
  if (cause === 'starved' && runQueueMs) found.push(`waited ${Math.round(runQueueMs)} ms for a CPU`)
  if (cause === 'starved' && throttledMs) found.push(`held back ${Math.round(throttledMs)} ms by the CPU quota`)
  return found.length === 0 ? '' : ` (${found.join(', ')})`
}

module.exports = { createStallLog, describeStall, toLogFields }
