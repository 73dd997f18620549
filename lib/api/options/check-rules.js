'use strict'

// Checks the option `rules` and adds its defaults. Errors name the position: `options.rules[0].when.stallMs`. Pure.

const { assertInteger, assertKnownKeys, assertPlainObject, refuse } = require('../../base/validate')
const { checkAction, nameOfAction } = require('../../shared/rules/actions')
const { CONDITIONS, doesNeed } = require('../../shared/rules/conditions')
const { checkLimit } = require('../../shared/rules/limits')

/** @import { Rule as RuleOption } from '../../../types/rules' */
/** @import { Limit } from '../../shared/rules/limits' */

/** @typedef {Required<Omit<RuleOption, 'limit'>> & { limit: Limit }} Rule  with its defaults */

const MAX_RULES = 50
const DEFAULT_WITHIN_SECONDS = 60
const MEMBERS = Object.freeze(['name', 'when', 'withinSeconds', 'forSeconds', 'do', 'limit'])
// The name is a label of a metric.
const NAME = /^[\w .:/[\]-]{1,60}$/

/** @param {string} path @param {unknown} value @returns {Rule[]} */
function checkRules (path, value) {
  if (!Array.isArray(value) || value.length > MAX_RULES) refuse(path, `a list of at most ${MAX_RULES} rules`, typeof value)
  const rules = /** @type {unknown[]} */ (value).map((rule, index) => checkRule(`${path}[${index}]`, rule, `rules[${index}]`))
  const twice = rules.findIndex(({ name }, index) => rules.findIndex(other => other.name === name) !== index)
  if (twice !== -1) refuse(`${path}[${twice}].name`, 'a name of its own', rules[twice].name)
  return rules
}

/** @param {string} path @param {any} rule @param {string} defaultName @returns {Rule} */
function checkRule (path, rule, defaultName) {
  if (rule === null || typeof rule !== 'object' || Array.isArray(rule)) refuse(path, 'an object', typeof rule)
  assertKnownKeys(path, rule, MEMBERS)
  const { name = defaultName, when, withinSeconds = DEFAULT_WITHIN_SECONDS, forSeconds = 0, do: actions, limit } = rule
  if (typeof name !== 'string' || !NAME.test(name)) refuse(`${path}.name`, 'up to 60 letters, digits, spaces and -_.:/[]', name)
  checkConditions(`${path}.when`, when)
  assertInteger(`${path}.withinSeconds`, withinSeconds, 10, 600)
  assertInteger(`${path}.forSeconds`, forSeconds, 0, 3600)
  checkActions(`${path}.do`, actions)
  const checked = { name, when: { ...when }, withinSeconds, forSeconds, do: actions, limit: checkLimit(`${path}.limit`, limit) }
  if (doesNeed(checked, 'stall')) checkMoment(path, checked)
  return checked
}

/** @param {string} path @param {any} when */
function checkConditions (path, when) {
  assertPlainObject(path, when)
  assertKnownKeys(path, when, Object.keys(CONDITIONS))
  const wanted = Object.entries(CONDITIONS).filter(([name]) => Object.hasOwn(when, name))
  if (wanted.length === 0) refuse(path, `an object with one or more of ${Object.keys(CONDITIONS).join(', ')}`, when)
  for (const [name, { check }] of wanted) check(`${path}.${name}`, when[name])
}

/** @param {string} path @param {any} actions */
function checkActions (path, actions) {
  if (!Array.isArray(actions) || actions.length === 0) refuse(path, 'a list of actions', typeof actions)
  actions.forEach((/** @type {unknown} */ action, /** @type {number} */ index) => checkAction(`${path}[${index}]`, action))
  const names = actions.map(nameOfAction)
  const push = names.indexOf('push')
  if (push !== -1 && !names.slice(0, push).includes('capture')) refuse(`${path}[${push}]`, 'after a capture of the same rule, which it sends', 'a push before any')
}

/**
 * A stall is one event with a duration of its own, so forSeconds and highWaterMark do not apply to it.
 * @param {string} path
 * @param {Rule} rule
 */
function checkMoment (path, { forSeconds, limit }) {
  if (forSeconds > 0) refuse(`${path}.forSeconds`, 'absent with stallMs, which already sets a duration', forSeconds)
  if (limit.highWaterMark) refuse(`${path}.limit.highWaterMark`, 'absent with stallMs: the rule acts when the stall reaches it, however long it gets', true)
}

module.exports = { checkRules }
