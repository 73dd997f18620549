'use strict'

// From an occasion to what is done: the limits are asked, and what is to be done is written down, before anything is done. A dry run only says it.

const { nameOfAction, showAction } = require('../../shared/rules/actions')
const { describeOccasion, keyOf } = require('../../shared/rules/occasion')
const { admit } = require('../../shared/rules/limits')
const { ACTORS } = require('./actors')

/** @import { RuleOutcome } from '../../../types/rules' */
/** @import { Rule } from '../../shared/rules/check-rules' */
/** @import { Occasion } from '../../shared/rules/occasion' */
/** @import { ActorTools } from './actors' */
/** @import { Acted } from './watch' */

// Where the limits cannot be told when it makes sense again.
const RETRY_MS = 10_000

/** @typedef {ReturnType<typeof import('./limit-file').createLimitFile>} Limits */

/**
 * @param {object} parts
 * @param {Pick<Limits, 'update'>} parts.limits
 * @param {boolean} parts.isDryRun
 * @param {Omit<ActorTools, 'heapProfiles'>} parts.tools
 * @param {(rule: string, outcome: RuleOutcome, actions: number) => void} parts.count
 */
function createActing ({ limits, isDryRun, tools, count }) {
  /**
   * @param {Rule} rule
   * @param {Occasion} occasion
   * @returns {Promise<Acted>}
   */
  return async (rule, occasion) => {
    const refused = ask(rule, occasion)
    if (refused !== null) {
      count(rule.name, refused.outcome, rule.do.length)
      return refused
    }
    const pauseMs = rule.limit.coolDownSeconds * 1e3
    if (isDryRun) {
      tools.say('info', { occasion, isDryRun }, `dry run: ${describeOccasion(occasion)}; would ${rule.do.map(showAction).join(', ')}`)
      count(rule.name, 'dry-run', rule.do.length)
      return { outcome: 'dry-run', problem: null, pauseMs }
    }
    const problems = await doAll(rule, occasion)
    return { outcome: problems.length === 0 ? 'done' : 'failed', problem: problems.join('; ') || null, pauseMs }
  }

  /**
   * @param {Rule} rule
   * @param {Occasion} occasion
   * @returns {Acted | null} null: it may act
   */
  function ask (rule, occasion) {
    const act = { at: occasion.at, culprit: keyOf(occasion.culprit), value: occasion.conditions[0].value ?? 0 }
    try {
      const { refusal } = limits.update(state => admit(state, rule, act))
      return refusal && { outcome: 'limited', problem: refusal.reason, pauseMs: Math.max(refusal.untilMs - occasion.at, RETRY_MS) }
    } catch (error) {
      // Without its limits nothing is done: nobody could say how often.
      const problem = `its limits cannot be kept: ${/** @type {Error} */ (error).message}`
      tools.say('warn', { occasion }, `rule ${rule.name} does nothing: ${problem}`)
      return { outcome: 'failed', problem, pauseMs: RETRY_MS }
    }
  }

  /**
   * One after the other, so that a webhook tells of the file that was written before it; what fails does not hold up the rest.
   * @param {Rule} rule
   * @param {Occasion} occasion
   */
  async function doAll (rule, occasion) {
    const problems = []
    const ownTools = { ...tools, heapProfiles: new Map() }
    for (const action of rule.do) {
      try {
        await ACTORS[nameOfAction(action)](action, occasion, ownTools)
        count(rule.name, 'done', 1)
      } catch (error) {
        const problem = `${showAction(action)}: ${/** @type {Error} */ (error).message}`
        problems.push(problem)
        tools.say('warn', { occasion }, `an action of rule ${rule.name} failed: ${problem}`)
        count(rule.name, 'failed', 1)
      }
    }
    return problems
  }
}

module.exports = { createActing }
