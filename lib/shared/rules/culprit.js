'use strict'

// Whom a rule's conditions point at: the limits hold for each of them. Pure.

const { doesNeed } = require('./conditions')

/** @import { Culprit } from '../../../types/diagnostics' */
/** @import { FindingPlace } from '../../../types/findings' */
/** @import { Readings } from './conditions' */
/** @import { Rule } from './check-rules' */

/** @typedef {{ culprit: Culprit | FindingPlace | null, route: string | null }} Suspect */

const NOBODY = Object.freeze({ culprit: null, route: null })

/**
 * Of what goes on, where no stall of this moment says it.
 * @param {Rule} rule
 * @param {Readings} readings
 * @returns {Suspect}
 */
function suspectOf (rule, readings) {
  if (doesNeed(rule, 'findings')) {
    const where = readings.findings?.find(({ id }) => id === rule.when.finding)?.where ?? null
    return { culprit: where, route: where?.route ?? null }
  }
  return doesNeed(rule, 'window') ? heaviest(rule, readings) : NOBODY
}

/**
 * Who took most of the time of the stalls in the window.
 * @param {Rule} rule
 * @param {Readings} readings
 * @returns {Suspect}
 */
function heaviest ({ withinSeconds }, { stalls, nowMs }) {
  /** @type {Map<string, { suspect: Suspect, ms: number }>} */
  const sums = new Map()
  for (const { fromMs, toMs, ...suspect } of stalls) {
    if (toMs <= nowMs - withinSeconds * 1e3 || suspect.culprit === null) continue
    const key = keyOf(suspect.culprit)
    sums.set(key, { suspect, ms: (sums.get(key)?.ms ?? 0) + toMs - fromMs })
  }
  const [most] = [...sums.values()].sort((a, b) => b.ms - a.ms)
  return most?.suspect ?? NOBODY
}

/**
 * The same function is the same culprit, whichever of its lines takes the time.
 * @param {Suspect['culprit']} culprit
 */
function keyOf (culprit) {
  if (culprit === null) return ''
  const { file, function: name } = culprit
  return [file, name, 'functionLine' in culprit ? culprit.functionLine : ''].join(' ')
}

module.exports = { keyOf, suspectOf }
