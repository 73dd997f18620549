'use strict'

// Runs the actions of a rule when its conditions hold. It checks the limits, and records the run in their file, before any action starts. A dry run
// only logs.

const { once } = require('node:events')
const { setTimeout: sleep } = require('node:timers/promises')
const { nameOfAction, showAction, showUrl } = require('../../shared/rules/actions')
const { describeFiring, keyOf } = require('./firing')
const { admit } = require('../../shared/rules/limits')

/** @import { CapturedFacts } from '../captures' */
/** @import { HeapProfile } from '../../formats/formats' */
/** @import { ActionName } from '../../shared/rules/actions' */
/** @import { Rule } from '../../api/options/check-rules' */
/** @import { Firing } from './firing' */
/** @import { CaptureOptions, Trigger } from '../../../types/diagnostics' */
/** @import { RuleOutcome } from '../../../types/rules' */
/** @import { RunResult } from './watch' */

/**
 * @typedef {object} ActionTools
 * @property {(wanted: { kind: string, options: CaptureOptions, trigger: Trigger }, controls: { signal: AbortSignal }) => Promise<CapturedFacts>} capture
 * @property {Map<string, HeapProfile>} heapProfiles  captured by the rule earlier, by artifact
 * @property {(artifact: Firing['artifacts'][number] & { heapProfile?: HeapProfile }) => Promise<boolean>} push  false: it must not be sent; rejects without egress
 * @property {(level: 'info' | 'warn', fields: object, message: string) => void} writeLog  writes to the log, also while the main thread is blocked
 * @property {{ appName: string, group: string, pid: number, host: string, version: string }} process
 * @property {AbortSignal} signal  aborted when the rules are stopped
 *
 * @typedef {(action: any, firing: Firing, tools: ActionTools) => Promise<void>} ActionHandler  rejects with the problem, without secrets
 */

/** @typedef {ReturnType<typeof import('./rules').createLimitFile>} Limits */

// The pause before the next try if the limits give no time.
const RETRY_MS = 10_000

const TIMEOUT_MS = 5000
// A receiver that restarts is back after a few seconds; one that is away for longer has the file, the log and the metric.
const WAITS_MS = Object.freeze([1000, 5000])

/** The handler of each action of the table in shared/rules/actions.js. @type {Readonly<Record<ActionName, ActionHandler>>} */
const ACTION_HANDLERS = Object.freeze({ capture, push, log, webhook })

/**
 * @param {object} parts
 * @param {Pick<Limits, 'update'>} parts.limits
 * @param {boolean} parts.isDryRun
 * @param {Omit<ActionTools, 'heapProfiles'>} parts.tools
 * @param {(rule: string, outcome: RuleOutcome, actions: number) => void} parts.count
 */
function createActionRunner ({ limits, isDryRun, tools, count }) {
  /** @param {Rule} rule @param {Firing} firing @returns {Promise<RunResult>} */
  return async (rule, firing) => {
    const refused = ask(rule, firing)
    if (refused !== null) {
      count(rule.name, refused.outcome, rule.do.length)
      return refused
    }
    const pauseMs = rule.limit.coolDownSeconds * 1e3
    if (isDryRun) {
      tools.writeLog('info', { firing, isDryRun }, `dry run: ${describeFiring(firing)}; would ${rule.do.map(showAction).join(', ')}`)
      count(rule.name, 'dry-run', rule.do.length)
      return { outcome: 'dry-run', problem: null, pauseMs }
    }
    const problems = await doAll(rule, firing)
    return { outcome: problems.length === 0 ? 'done' : 'failed', problem: problems.join('; ') || null, pauseMs }
  }

  /** @param {Rule} rule @param {Firing} firing @returns {RunResult | null} null: the rule may act */
  function ask (rule, firing) {
    const act = { at: firing.at, culprit: keyOf(firing.culprit), value: firing.conditions[0].value ?? 0 }
    try {
      const { refusal } = limits.update(state => admit(state, rule, act))
      return refusal && { outcome: 'limited', problem: refusal.reason, pauseMs: Math.max(refusal.untilMs - firing.at, RETRY_MS) }
    } catch (error) {
      // Without its limits a rule does nothing: otherwise it could run any number of times.
      const problem = `its limits cannot be kept: ${/** @type {Error} */ (error).message}`
      tools.writeLog('warn', { firing }, `rule ${rule.name} does nothing: ${problem}`)
      return { outcome: 'failed', problem, pauseMs: RETRY_MS }
    }
  }

  /**
   * Runs the actions one after the other, so that a webhook can name the file written before it. An action that fails does not stop the next ones.
   * @param {Rule} rule
   * @param {Firing} firing
   */
  async function doAll (rule, firing) {
    const problems = []
    const ownTools = { ...tools, heapProfiles: new Map() }
    for (const action of rule.do) {
      try {
        await ACTION_HANDLERS[nameOfAction(action)](action, firing, ownTools)
        count(rule.name, 'done', 1)
      } catch (error) {
        const problem = `${showAction(action)}: ${/** @type {Error} */ (error).message}`
        problems.push(problem)
        tools.writeLog('warn', { firing }, `an action of rule ${rule.name} failed: ${problem}`)
        count(rule.name, 'failed', 1)
      }
    }
    return problems
  }
}

/** Captures like every other trigger, with the trigger `rule`. @type {ActionHandler} */
async function capture ({ capture: kind, ...options }, firing, { capture, heapProfiles, signal }) {
  const { name, path, bytes, from, to, heapProfile } = await capture({ kind, options, trigger: 'rule' }, { signal })
  firing.artifacts.push({ kind, name, path, bytes, from, to })
  if (heapProfile !== undefined) heapProfiles.set(name, heapProfile)
}

/** Sends what the rule has captured so far to all destinations of option egress. @type {ActionHandler} */
async function push (action, { artifacts }, { heapProfiles, push }) {
  for (const artifact of artifacts) {
    if (!await push({ ...artifact, heapProfile: heapProfiles.get(artifact.name) })) throw new Error(`${artifact.name} is a heap snapshot that was not redacted: it is not sent`)
  }
}

/** Logs one line. @type {ActionHandler} */
async function log ({ log: level }, firing, { writeLog }) {
  writeLog(level, { firing }, describeFiring(firing))
}

/**
 * Sends a POST with JSON, tried a few times, each with a time limit. Redirects are not followed. A problem is reported without the path, query and
 * headers of the request, and without the response.
 * @type {ActionHandler}
 */
async function webhook ({ webhook: url, headers = {}, timeoutMs = TIMEOUT_MS }, firing, { process, signal }) {
  const body = Buffer.from(JSON.stringify({ text: describeFiring(firing), ...firing, process }))
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
    agent: false, // a connection for one request, which is not kept open
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

module.exports = { createActionRunner, webhook }
