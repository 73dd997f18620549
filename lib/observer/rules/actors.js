'use strict'

// What does the actions of rules: a row an action of the table in shared/rules/actions.js.

/** @import { CaptureOptions, Trigger } from '../../../types/diagnostics' */
/** @import { ActionName } from '../../shared/rules/actions' */
/** @import { HeapProfile } from '../../shared/formats/heap-profile' */
/** @import { Occasion } from '../../shared/rules/occasion' */
/** @import { CapturedFacts } from '../captures' */

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

/** @type {Readonly<Record<ActionName, Actor>>} */
const ACTORS = Object.freeze({
  capture: require('./actions/capture').capture,
  push: require('./actions/push').push,
  log: require('./actions/log').log,
  webhook: require('./actions/webhook').webhook
})

module.exports = { ACTORS }
