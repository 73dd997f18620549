'use strict'

// A firing: a moment at which the conditions of a rule hold and its actions run. As data, with its suspect, and as text. Pure.

const { showAction } = require('../../shared/rules/actions')
const { conditionsOf, doesNeed } = require('../../shared/rules/conditions')

/** @import { ArtifactFacts, Culprit } from '../../../types/diagnostics' */
/** @import { FindingPlace } from '../../../types/findings' */
/** @import { Rule } from '../../api/options/check-rules' */
/** @import { Judged, Readings } from '../../shared/rules/conditions' */

/**
 * @typedef {{ culprit: Culprit | FindingPlace | null, route: string | null }} Suspect  the function or route that the conditions point at; limits count per suspect
 *
 * @typedef {Pick<ArtifactFacts, 'kind' | 'name' | 'path' | 'bytes' | 'from' | 'to'>} FiringArtifact
 *
 * @typedef {Suspect & {
 *   rule: string, at: number, conditions: { name: string, value: number | null, wanted: number | string }[], artifacts: FiringArtifact[]
 * }} Firing  artifacts: written by the rule so far
 */

const WINDOWED = ['stallCount', 'blockedShare', 'utilization', 'delayP99Ms', 'errorResponseShare', 'finding']
const NO_SUSPECT = Object.freeze({ culprit: null, route: null })

/** @param {Rule} rule @param {Judged[]} judged @param {Suspect} suspect @param {number} at @returns {Firing} */
function newFiring (rule, judged, { culprit, route }, at) {
  const conditions = judged.map(({ name, value }) => ({ name, value: value === null ? null : Math.round(value * 1000) / 1000, wanted: rule.when[name] ?? '' }))
  return { rule: rule.name, at, conditions, culprit, route, artifacts: [] }
}

/**
 * `rule slow: stallMs 1204 >= 1000 in checkPassword (app.js:8), POST /login; wrote /…/cpu-….cpuprofile`
 * @param {Firing} firing
 */
function describeFiring ({ rule, conditions, culprit, route, artifacts }) {
  const what = conditions.map(({ name, value, wanted }) => typeof wanted === 'string' ? `${name} ${wanted}` : `${name} ${value} >= ${wanted}`).join(', ')
  const where = culprit === null ? '' : ` in ${culprit.function || '(anonymous)'} (${culprit.file}:${culprit.line})`
  const files = artifacts.length === 0 ? '' : `; wrote ${artifacts.map(({ path }) => path).join(', ')}`
  return `rule ${rule}: ${what}${where}${route === null ? '' : `, ${route}`}${files}`
}

/** @param {Rule} rule  shown without the secrets of its actions */
function showRule (rule) {
  const { name, when, withinSeconds, forSeconds, limit } = rule
  const windowed = conditionsOf(rule).some(name => WINDOWED.includes(name))
  return { name, when, withinSeconds: windowed ? withinSeconds : null, forSeconds, do: rule.do.map(showAction), limit }
}

/**
 * The suspect of conditions that are not about the stall of this moment.
 * @param {Rule} rule
 * @param {Readings} readings
 * @returns {Suspect}
 */
function suspectOf (rule, readings) {
  if (doesNeed(rule, 'findings')) {
    const where = readings.findings?.find(({ id }) => id === rule.when.finding)?.where ?? null
    return { culprit: where, route: where?.route ?? null }
  }
  return doesNeed(rule, 'window') ? heaviest(rule, readings) : NO_SUSPECT
}

/**
 * The culprit with the longest stalls in the window.
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
  return most?.suspect ?? NO_SUSPECT
}

/** The same function is the same culprit, whichever of its lines takes the time. @param {Suspect['culprit']} culprit */
function keyOf (culprit) {
  if (culprit === null) return ''
  const { file, function: name } = culprit
  return [file, name, 'functionLine' in culprit ? culprit.functionLine : ''].join(' ')
}

module.exports = { describeFiring, keyOf, newFiring, showRule, suspectOf }
