'use strict'

// Rounds of cases in turns, each in a process that was started for it: two processes of the same code differ by a tenth for their
// whole life, and only many of them average that away. A round that something else disturbed is measured again.

const { chooseProcessors, expand } = require('../../lib/cli/bench/processors')
const { withChildren } = require('./child')
const { isDisturbed, MAX_FOREIGN, MAX_STOLEN, watchProcessors } = require('./quiet')
const { turns } = require('./turns')

/** @import { Processors } from '../../lib/cli/bench/processors' */
/** @import { Child } from './child' */

const MAX_TRIES = 4

/**
 * @typedef {object} Plan
 * @property {string} file               in bench/processes
 * @property {readonly string[]} cases   its first argument
 * @property {string[]} [args]           its others
 * @property {number} rounds
 * @property {(text: string) => void} progress
 * @property {(child: Child, load: string | undefined) => Promise<() => Promise<Measured>>} prepare  warms it up; what it returns measures
 *   one round. load: the processors of what sends requests
 *
 * @typedef {{ value: number, ownMicros: number }} Measured  ownMicros: CPU time of all its threads during the round
 *
 * @typedef {object} Rounds
 * @property {number[][]} values  by case and round
 * @property {number} repeated    rounds that were disturbed, and measured again
 * @property {number} disturbed   rounds that stayed so
 * @property {string} where       what ran on which processors
 */

/**
 * @param {Plan} plan
 * @returns {Promise<Rounds>}
 */
async function freshRounds (plan) {
  const processors = chooseProcessors(true)
  const result = { values: plan.cases.map(() => /** @type {number[]} */ ([])), repeated: 0, disturbed: 0, where: describe(processors) }
  for (let round = 0; round < plan.rounds; round++) {
    for (const at of turns(plan.cases, round)) {
      const { value, tries, wasDisturbed } = await quietRound(plan, plan.cases[at], processors)
      result.values[at].push(value)
      result.repeated += tries - 1
      result.disturbed += Number(wasDisturbed)
    }
    plan.progress(`round ${round + 1} of ${plan.rounds}: ${plan.cases.map((name, at) => `${name} ${result.values[at][round].toFixed(1)}`).join(', ')}`)
  }
  return result
}

/**
 * @param {Plan} plan
 * @param {string} name
 * @param {Processors} processors
 */
async function quietRound (plan, name, processors) {
  for (let tries = 1; ; tries++) {
    const { value, wasDisturbed } = await oneRound(plan, name, processors)
    if (!wasDisturbed || tries === MAX_TRIES) return { value, tries, wasDisturbed }
  }
}

/**
 * @param {Plan} plan
 * @param {string} name
 * @param {Processors} processors
 */
function oneRound ({ file, args = [], prepare }, name, { pinning }) {
  return withChildren(file, [[name, ...args]], async ([child]) => {
    const measure = await prepare(child, pinning?.load)
    const watch = watchProcessors(pinning === null ? [] : expand(pinning.application))
    const { value, ownMicros } = await measure()
    return { value, wasDisturbed: pinning !== null && isDisturbed(watch.end(ownMicros)) }
  }, { processors: pinning?.application })
}

/** @param {Processors} processors */
function describe ({ pinning, reason }) {
  if (pinning === null) return `Not pinned: ${reason}; the load and the server push each other around, and these ratios say little.`
  return `Server with all its threads on processor ${pinning.application}, load on ${pinning.load}.`
}

/** @param {Rounds} rounds */
function showConditions ({ where, repeated, disturbed }) {
  return `${where} ${repeated} rounds were measured again, because something else had more than ${MAX_FOREIGN * 100} % of that processor or the host took more than ` +
    `${MAX_STOLEN * 100} %; ${disturbed} stayed so after ${MAX_TRIES} tries.`
}

module.exports = { freshRounds, showConditions }
