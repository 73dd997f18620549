'use strict'

// A moment at which a rule's conditions hold and it acts: as data, and in words. Pure.

const { showAction } = require('./actions')
const { conditionsOf } = require('./conditions')

/** @import { Judged } from './conditions' */
/** @import { Rule } from './check-rules' */
/** @import { Suspect } from './culprit' */

/**
 * @typedef {object} WrittenArtifact
 * @property {import('../../../types/diagnostics').CaptureKind} kind
 * @property {string} name
 * @property {string} path
 * @property {number} bytes
 * @property {number} from  the time that it covers, milliseconds since the epoch
 * @property {number} to
 *
 * @typedef {Suspect & {
 *   rule: string, at: number, conditions: { name: string, value: number | null, wanted: number | string }[], artifacts: WrittenArtifact[]
 * }} Occasion  artifacts: written by the rule so far
 */

/**
 * @param {Rule} rule
 * @param {Judged[]} judged
 * @param {Suspect} suspect
 * @param {number} at
 * @returns {Occasion}
 */
function newOccasion (rule, judged, { culprit, route }, at) {
  const conditions = judged.map(({ name, value }) => ({ name, value: value === null ? null : rounded(value), wanted: rule.when[name] ?? '' }))
  return { rule: rule.name, at, conditions, culprit, route, artifacts: [] }
}

/**
 * `rule slow: stallMs 1204 >= 1000 in checkPassword (app.js:8), POST /login; wrote /…/cpu-….cpuprofile`
 * @param {Occasion} occasion
 */
function describeOccasion ({ rule, conditions, culprit, route, artifacts }) {
  const what = conditions.map(({ name, value, wanted }) => typeof wanted === 'string' ? `${name} ${wanted}` : `${name} ${value} >= ${wanted}`).join(', ')
  const where = culprit === null ? '' : ` in ${culprit.function || '(anonymous)'} (${culprit.file}:${culprit.line})`
  const files = artifacts.length === 0 ? '' : `; wrote ${artifacts.map(({ path }) => path).join(', ')}`
  return `rule ${rule}: ${what}${where}${route === null ? '' : `, ${route}`}${files}`
}

/** @param {Rule} rule  as it may be shown: without the secrets of its actions */
function showRule (rule) {
  const { name, when, withinSeconds, forSeconds, limit } = rule
  const windowed = conditionsOf(rule).some(name => WINDOWED.includes(name))
  return { name, when, withinSeconds: windowed ? withinSeconds : null, forSeconds, do: rule.do.map(showAction), limit }
}

const WINDOWED = ['stallCount', 'blockedShare', 'utilization', 'delayP99Ms', 'errorResponseShare', 'finding']

/** @param {number} value  to the thousandth, as shares need it */
function rounded (value) {
  return Math.round(value * 1000) / 1000
}

module.exports = { describeOccasion, newOccasion, showRule }
