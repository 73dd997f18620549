'use strict'

// Makes a finding from the parts that its detector gives, with defaults for the rest. Pure.

const { observedMsOf } = require('../../shared/findings/readings')
const { rounded } = require('../../shared/findings/format-text')

/** @import { Finding } from '../../../types/findings' */
/** @import { Readings } from '../../shared/findings/readings' */

// Fewer samples are not significant: at 100 per second this is a fifth of a second of work.
const MIN_SAMPLES = 20

// A loss of this share of the time affects every request.
const CRITICAL_SHARE = 0.25

/**
 * @typedef {object} Detector
 * @property {readonly Finding['id'][]} ids  the findings that it can return
 * @property {readonly Finding['id'][]} explains  findings that are dropped when it returns one, because they have the same reason
 * @property {(readings: Readings, found: readonly Finding[]) => Finding[]} find  found: by the detectors before it in the table
 *
 * @typedef {Pick<Finding, 'id' | 'title' | 'lostMs' | 'what' | 'why' | 'instead'> & Partial<Finding>} FindingParts
 */

/** @param {Readings} readings @param {FindingParts} parts @returns {Finding} */
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
    prediction: null,
    again: null,
    next: [],
    ...parts,
    share: rounded(share, 3),
    lostMs
  }
}

module.exports = { CRITICAL_SHARE, MIN_SAMPLES, makeFinding }
