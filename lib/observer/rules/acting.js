'use strict'

// What a rule does when its conditions hold: the limits are asked, and what is to be done is written down, before anything is done. A dry run only
// logs it.

const { once } = require('node:events')
const { setTimeout: sleep } = require('node:timers/promises')
const { nameOfAction, showAction, showUrl } = require('../../shared/rules/actions')
const { describeOccasion, keyOf } = require('../../shared/rules/occasion')
const { admit } = require('../../shared/rules/limits')

/** @import { CapturedFacts } from '../captures' */
/** @import { HeapProfile } from '../../shared/formats/formats' */
/** @import { ActionName } from '../../shared/rules/actions' */
/** @import { Rule } from '../../shared/rules/check-rules' */
/** @import { Occasion } from '../../shared/rules/occasion' */
/** @import { CaptureOptions, Trigger } from '../../../types/diagnostics' */
/** @import { RuleOutcome } from '../../../types/rules' */
/** @import { Acted } from './watch' */

/**
 * @typedef {object} ActorTools
 * @property {(wanted: { kind: string, options: CaptureOptions, trigger: Trigger }, controls: { signal: AbortSignal }) => Promise<CapturedFacts>} capture
 * @property {Map<string, HeapProfile>} heapProfiles  that the rule has captured before, by artifact
 * @property {(artifact: Occasion['artifacts'][number] & { heapProfile?: HeapProfile }) => Promise<boolean>} push  false: it may not be sent; rejects where there is no egress
 * @property {(level: 'info' | 'warn', fields: object, message: string) => void} say  in the log, also while the main thread is stuck
 * @property {{ appName: string, group: string, pid: number, host: string, version: string }} process
 * @property {AbortSignal} signal  the rules have ended
 *
 * @typedef {(action: any, occasion: Occasion, tools: ActorTools) => Promise<void>} Actor  rejects with what went wrong, without secrets
 */

/** @typedef {ReturnType<typeof import('./rules').createLimitFile>} Limits */

// Until it is tried again, where the limits give no time.
const RETRY_MS = 10_000

const TIMEOUT_MS = 5000
// A receiver that restarts is back after a few seconds; one that is away for longer has the file, the log and the metric.
const WAITS_MS = Object.freeze([1000, 5000])

/** What does each action of the table in shared/rules/actions.js. @type {Readonly<Record<ActionName, Actor>>} */
const ACTORS = Object.freeze({ capture, push, log, webhook })

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
   * One after the other, so that a webhook names the file that was written before it; what fails does not hold up the rest.
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

/** As anybody else's, with the trigger `rule`. @type {Actor} */
async function capture ({ capture: kind, ...options }, occasion, { capture, heapProfiles, signal }) {
  const { name, path, bytes, from, to, heapProfile } = await capture({ kind, options, trigger: 'rule' }, { signal })
  occasion.artifacts.push({ kind, name, path, bytes, from, to })
  if (heapProfile !== undefined) heapProfiles.set(name, heapProfile)
}

/** What the rule has captured before goes to all destinations of option egress. @type {Actor} */
async function push (action, { artifacts }, { heapProfiles, push }) {
  for (const artifact of artifacts) {
    if (!await push({ ...artifact, heapProfile: heapProfiles.get(artifact.name) })) throw new Error(`${artifact.name} is a heap snapshot that was not redacted: it is not sent`)
  }
}

/** One line. @type {Actor} */
async function log ({ log: level }, occasion, { say }) {
  say(level, { occasion }, describeOccasion(occasion))
}

/**
 * A POST with JSON, tried a few times, each with a time limit. Redirects are not followed. A problem is reported without the path, the query and
 * the headers of the request, and without the answer.
 * @type {Actor}
 */
async function webhook ({ webhook: url, headers = {}, timeoutMs = TIMEOUT_MS }, occasion, { process, signal }) {
  const body = Buffer.from(JSON.stringify({ text: describeOccasion(occasion), ...occasion, process }))
  for (let tries = 0; ; tries++) {
    const answer = await post({ url, headers, body }, AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]))
    if (answer.isTaken) return
    if (!answer.isWorthAnother || signal.aborted || tries === WAITS_MS.length) throw new Error(`${showUrl(url)} ${answer.problem}`)
    await sleep(WAITS_MS[tries], undefined, { signal, ref: false })
  }
}

/**
 * @param {{ url: string, headers: Record<string, string>, body: Buffer }} message
 * @param {AbortSignal} signal
 * @returns {Promise<{ isTaken: boolean, isWorthAnother: boolean, problem: string }>}
 */
async function post ({ url, headers, body }, signal) {
  const { request } = url.startsWith('https:') ? require('node:https') : require('node:http')
  const sent = request(url, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json', 'Content-Length': body.length },
    agent: false, // one connection, which nothing keeps open
    signal
  })
  try {
    sent.end(body)
    const [response] = await once(sent, 'response')
    response.resume()
    const { statusCode: status } = response
    return { isTaken: status >= 200 && status < 300, isWorthAnother: status >= 500 || status === 429, problem: `answered ${status}` }
  } catch (/** @type {any} */ error) {
    return { isTaken: false, isWorthAnother: true, problem: signal.aborted ? 'did not answer in time' : `cannot be reached: ${error.code ?? 'unknown'}` }
  } finally {
    sent.on('error', () => {}).destroy()
  }
}

module.exports = { createActing, webhook }
