'use strict'

// The samples of a profile with when they were taken, what each stands for, and parts of a profile as profiles. Pure.

const { idleUnless } = require('../../shared/formats/profile/idle-samples')

/** @import { CpuProfile } from '../../../types/profile' */

/**
 * @typedef {object} Sample
 * @property {number} id       of the node
 * @property {number} index
 * @property {number} micros   that it stands for
 * @property {number} atMicros at its end, from the profile's start
 */

// Idle time at the ends of what was recorded says nothing of the work in between, if there was any to speak of.
const SECOND_MICROS = 1e6
const AT_WORK_SHARE = 0.05
const MIN_OBSERVED_SECONDS = 10

/**
 * @param {CpuProfile} profile
 * @returns {Sample[]}
 */
function readSamples ({ samples, timeDeltas }) {
  let atMicros = 0
  return samples.map((id, index) => {
    atMicros += timeDeltas[index]
    return { id, index, micros: timeDeltas[index], atMicros }
  })
}

/**
 * From the first second with work to the last.
 * @param {readonly Sample[]} samples
 * @param {(sample: Sample) => boolean} isIdle
 * @returns {Sample[]}
 */
function withoutIdleEnds (samples, isIdle) {
  /** @type {number[]} */
  const busyMicros = []
  for (const sample of samples) {
    const second = Math.floor(sample.atMicros / SECOND_MICROS)
    busyMicros[second] = (busyMicros[second] ?? 0) + (isIdle(sample) ? 0 : sample.micros)
  }
  const isAtWork = (/** @type {number} */ micros) => micros >= SECOND_MICROS * AT_WORK_SHARE
  const first = busyMicros.findIndex(isAtWork)
  const last = busyMicros.findLastIndex(isAtWork)
  if (first === -1) return [...samples]
  const from = Math.max(0, Math.min(first, last - MIN_OBSERVED_SECONDS + 1)) * SECOND_MICROS
  const to = Math.max(last + 1, first + MIN_OBSERVED_SECONDS) * SECOND_MICROS
  return samples.filter(({ atMicros }) => atMicros > from && atMicros <= to)
}

/**
 * The same profile with only these samples: in the others it was idle.
 * @param {CpuProfile} profile
 * @param {readonly Sample[]} kept
 * @returns {CpuProfile}
 */
function onlySamples (profile, kept) {
  const indexes = new Set(kept.map(({ index }) => index))
  return idleUnless(profile, index => indexes.has(index)).profile
}

module.exports = { onlySamples, readSamples, withoutIdleEnds }
