'use strict'

// Whether a stall's culprit may be named. Who ran when the collector or the system held the loop is beside the point unless the little
// that ran was clearly one function of the application: a framework that happened to be on the stack is innocent. A collector may leave
// less than that to be sampled; then the looks may tell (culprit/seen-culprit.js). Pure.

/** @import { Cause, Culprit } from '../../../types/diagnostics' */
/** @import { Origin } from '../../shared/formats/profile/frame' */

// Code did not hold the loop by itself then: the samples of it are few, and each may be of anyone.
const CAUSES_BESIDE_CODE = /** @type {readonly Cause[]} */ (['gc', 'starved'])
const MIN_SAMPLES = 5
const MIN_SHARE = 1 / 2

/**
 * @param {Cause} cause
 * @param {{ culprit: Culprit | null, origin: Origin | null }} found  origin: whose code the culprit is
 * @param {number} codeSamples  how many samples saw code
 * @returns {Culprit | null} null rather than a wrong one
 */
function toBlame (cause, { culprit, origin }, codeSamples) {
  if (culprit === null || !CAUSES_BESIDE_CODE.includes(cause)) return culprit
  return origin === 'app' && codeSamples >= MIN_SAMPLES && culprit.share >= MIN_SHARE ? culprit : null
}

/**
 * Not of a machine that did not run us: there a look is answered when it does again, wherever that is.
 * @param {Cause} cause
 * @param {number} codeSamples  where they are enough and nobody is to blame for all that, looks are no better witnesses
 */
function mayLooksTell (cause, codeSamples) {
  return cause === 'gc' && codeSamples < MIN_SAMPLES
}

module.exports = { mayLooksTell, toBlame }
