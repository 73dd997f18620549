'use strict'

// What PM2 and a process send each other over the process's IPC channel, and what `pm2 trigger <name> <action>` is answered with: plain data,
// which PM2 prints as one line of JSON. PM2 has no description of it: this is what its daemon reads and sends (tried with 7). @pm2/io, which
// PM2 puts into processes by default, speaks the same beside us.

const { KINDS } = require('../../shared/captures/kinds')
const { headline, labelOf } = require('../../shared/findings/show')

/** @import { Artifact, CaptureKind, CaptureOptions } from '../../../types/diagnostics' */
/** @import { Findings } from '../../../types/findings' */

const ACTION_NAMES = Object.freeze(/** @type {const} */ (['loopscope:cpu', 'loopscope:why', 'loopscope:heap-profile']))

/** @typedef {typeof ACTION_NAMES[number]} ActionName */

/**
 * @typedef {object} ActionSubject  an application
 * @property {() => Promise<Findings>} findings
 * @property {(kind: CaptureKind, options: CaptureOptions) => Promise<Artifact & { hot?: string[] }>} capture  with what was hot in a CPU profile
 */

/**
 * @typedef {object} Figure  a row of `pm2 describe`
 * @property {string} name
 * @property {string | number} value
 * @property {string} unit
 */

const MAX_FINDINGS = 3

/** @type {Readonly<Record<ActionName, (subject: ActionSubject) => Promise<object>>>} */
const ACTIONS = Object.freeze({
  // What happened already: whoever waits at a terminal is answered at once.
  'loopscope:cpu': async subject => told(await subject.capture('cpu', {})),
  'loopscope:why': async subject => explain(await subject.findings()),
  'loopscope:heap-profile': async subject => told(await subject.capture('heap-profile', KINDS['heap-profile'].onSignal))
})

/**
 * The daemon adds up what it is told by name, so that those of @pm2/io stay.
 * @param {readonly Figure[]} figures
 */
function monitorMessage (figures) {
  return {
    type: 'axm:monitor',
    data: Object.fromEntries(figures.map(({ name, value, unit }) => [name, { value, unit, type: 'loopscope', historic: typeof value === 'number' }]))
  }
}

/** That there is an action, which `pm2 trigger` is refused without. @param {ActionName} name */
function actionMessage (name) {
  return { type: 'axm:action', data: { action_name: name, action_type: 'custom', arity: 1 } }
}

/**
 * @param {ActionName} name
 * @param {unknown} result  plain data
 * @param {number} at  milliseconds since the epoch
 */
function replyMessage (name, result, at) {
  return { type: 'axm:reply', data: { at, action_name: name, return: result } }
}

/**
 * PM2 sends the bare name, and an object where `pm2 trigger` was given a parameter.
 * @param {any} message
 * @returns {ActionName | null} null: it is not for us
 */
function readAction (message) {
  const name = typeof message === 'string' ? message : message?.msg
  return ACTION_NAMES.find(known => known === name) ?? null
}

/** @param {Artifact & { hot?: string[] }} artifact */
function told ({ path, bytes, shortened, hot }) {
  return { path, bytes, ...(shortened !== null && { shortened }), ...(hot && { hot }) }
}

/** @param {Findings} answer */
function explain (answer) {
  const findings = answer.findings.slice(0, MAX_FINDINGS).map(({ severity, over, title, instead }) => `${labelOf({ severity, over })}: ${title}${severity === 'none' ? '' : ` Fix: ${instead}`}`)
  return { process: headline(answer), findings }
}

module.exports = { ACTIONS, ACTION_NAMES, actionMessage, monitorMessage, readAction, replyMessage }
