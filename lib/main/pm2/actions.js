'use strict'

// What `pm2 trigger <name> <action>` is answered with: plain data, which PM2 prints as one line of JSON.

const { headline, labelOf } = require('../../shared/findings/show')
const { KINDS } = require('../../shared/captures/kinds')

/** @import { Artifact, CaptureKind, CaptureOptions } from '../../../types/diagnostics' */
/** @import { Findings } from '../../../types/findings' */
/** @import { ActionName } from './protocol' */

/**
 * @typedef {object} ActionSubject  an application
 * @property {() => Promise<Findings>} findings
 * @property {(kind: CaptureKind, options: CaptureOptions) => Promise<Artifact & { hot?: string[] }>} capture  with what was hot in a CPU profile
 */

const MAX_FINDINGS = 3

/** @type {Readonly<Record<ActionName, (subject: ActionSubject) => Promise<object>>>} */
const ACTIONS = Object.freeze({
  // What happened already: whoever waits at a terminal is answered at once.
  'loopscope:cpu': async subject => told(await subject.capture('cpu', {})),
  'loopscope:why': async subject => explain(await subject.findings()),
  'loopscope:heap-profile': async subject => told(await subject.capture('heap-profile', KINDS['heap-profile'].onSignal))
})

/** @param {Artifact & { hot?: string[] }} artifact */
function told ({ path, bytes, shortened, hot }) {
  return { path, bytes, ...(shortened !== null && { shortened }), ...(hot && { hot }) }
}

/** @param {Findings} answer */
function explain (answer) {
  const findings = answer.findings.slice(0, MAX_FINDINGS).map(({ severity, over, title, instead }) => `${labelOf({ severity, over })}: ${title}${severity === 'none' ? '' : ` Instead: ${instead}`}`)
  return { process: headline(answer), findings }
}

module.exports = { ACTIONS }
