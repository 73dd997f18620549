'use strict'

// The messages between PM2 and a process over the IPC channel, and the answers to `pm2 trigger <name> <action>`: plain data, which PM2 prints as one
// line of JSON. PM2 does not document it: this is what its daemon reads and sends (tested with version 7). @pm2/io, which PM2 injects by default,
// uses the same channel.

const { KINDS } = require('../../shared/captures/kinds')
const { headline, labelOf } = require('../../shared/findings/show')

/** @import { Artifact, CaptureKind, CaptureOptions } from '../../../types/diagnostics' */
/** @import { Findings } from '../../../types/findings' */

const ACTION_NAMES = Object.freeze(/** @type {const} */ (['loopscope:cpu', 'loopscope:why', 'loopscope:heap-profile']))

/** @typedef {typeof ACTION_NAMES[number]} ActionName */

/**
 * @typedef {object} ActionSubject  an application
 * @property {() => Promise<Findings>} findings
 * @property {(kind: CaptureKind, options: CaptureOptions) => Promise<Artifact & { hot?: string[] }>} capture  with the hot spots of a CPU profile
 */

/** @typedef {{ name: string, value: string | number, unit: string }} Figure  a row of `pm2 describe` */

const MAX_FINDINGS = 3

/** @type {Readonly<Record<ActionName, (subject: ActionSubject) => Promise<object>>>} */
const ACTIONS = Object.freeze({
  // Past data, so that the caller at the terminal gets an answer at once.
  'loopscope:cpu': async subject => shown(await subject.capture('cpu', {})),
  'loopscope:why': async subject => explain(await subject.findings()),
  'loopscope:heap-profile': async subject => shown(await subject.capture('heap-profile', KINDS['heap-profile'].onSignal))
})

/** The daemon merges figures by name, so those of @pm2/io stay. @param {readonly Figure[]} figures */
function monitorMessage (figures) {
  return {
    type: 'axm:monitor',
    data: Object.fromEntries(figures.map(({ name, value, unit }) => [name, { value, unit, type: 'loopscope', historic: typeof value === 'number' }]))
  }
}

/** Registers an action; `pm2 trigger` is refused without it. @param {ActionName} name */
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
 * PM2 sends the bare name, or an object if `pm2 trigger` was called with a parameter.
 * @param {any} message
 * @returns {ActionName | null} null: not for loopscope
 */
function readAction (message) {
  const name = typeof message === 'string' ? message : message?.msg
  return ACTION_NAMES.find(known => known === name) ?? null
}

/** @param {Artifact & { hot?: string[] }} artifact */
function shown ({ path, bytes, shortened, hot }) {
  return { path, bytes, ...(shortened !== null && { shortened }), ...(hot && { hot }) }
}

/** @param {Findings} answer */
function explain (answer) {
  const findings = answer.findings.slice(0, MAX_FINDINGS).map(({ severity, over, title, instead }) => `${labelOf({ severity, over })}: ${title}${instead === '' ? '' : ` Fix: ${instead}`}`)
  return { process: headline(answer), findings }
}

module.exports = { ACTIONS, ACTION_NAMES, actionMessage, monitorMessage, readAction, replyMessage }
