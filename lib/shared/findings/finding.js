'use strict'

// A finding, made of what its rule gives: what all findings have, in one place. Pure.

const { observedMsOf } = require('./readings')
const { rounded } = require('./format-text')

/** @import { Finding } from '../../../types/findings' */
/** @import { Readings } from './readings' */

// Below it a number of samples says nothing: at 100 a second a fifth of a second of work.
const MIN_SAMPLES = 20

// From this part of the time on, a loss is what every request feels.
const CRITICAL_SHARE = 0.25

/**
 * @typedef {object} Detector
 * @property {readonly Finding['id'][]} ids  that it can say
 * @property {readonly Finding['id'][]} explains  what need not be parts any more when it is: it has the same reason
 * @property {(readings: Readings, found: readonly Finding[]) => Finding[]} find  found: by the rules before it in the table
 *
 * @typedef {Pick<Finding, 'id' | 'title' | 'lostMs' | 'what' | 'why' | 'instead'> & Partial<Finding>} FindingParts
 */

/**
 * @param {Readings} readings
 * @param {FindingParts} parts
 * @returns {Finding}
 */
function makeFinding (readings, parts) {
  const observedMs = observedMsOf(readings)
  const lostMs = rounded(Math.max(0, parts.lostMs))
  const share = parts.share ?? (observedMs === 0 ? 0 : Math.min(1, lostMs / observedMs))
  return {
    severity: share >= CRITICAL_SHARE ? 'critical' : 'warning',
    since: null,
    over: null,
    where: null,
    evidence: {},
    confidence: 'high',
    next: [],
    ...parts,
    share: rounded(share, 3),
    lostMs
  }
}

module.exports = { CRITICAL_SHARE, MIN_SAMPLES, makeFinding }
