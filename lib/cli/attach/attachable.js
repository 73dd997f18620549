'use strict'

// Whether SIGUSR1 would open an inspector in a process: asked before it is sent, since it ends what has no handler for it, and
// means something else to what has one of its own.

const path = require('node:path')
const { Failure } = require('../failure')
const { readRunning } = require('../reach/process-facts')

/** @import { RunningProcess } from '../reach/process-facts' */

const NODE = /^node(js)?[\d.]*$/
const NODE_LIBRARY = /\/libnode\.(so|\d)/
// Flags that take the next argument; what stands before the script is Node's own.
const WITH_VALUE = new Set(['-r', '--require', '--import', '--loader', '--experimental-loader', '-C', '--conditions'])
const DEFAULT_PORT = 9229
const PORT_FLAG = /^--(?:inspect|debug)(?:-port|-brk|-wait)?=(?:.*:)?(\d+)$/

/**
 * @param {number} pid  of a living process
 * @throws {Failure} with the reason
 */
function assertAttachable (pid) {
  const running = readRunning(pid)
  if (running === null) {
    const message = `The system does not tell what process ${pid} runs, so no signal is sent to it.`
    throw new Failure('permission', message, 'Run this as the user of the process, or as root.')
  }
  const reason = reasonAgainst(running)
  if (reason !== null) throw new Failure('notAttachable', `Process ${pid} cannot be attached to: ${reason}`, 'No signal was sent to it.')
}

/**
 * @param {RunningProcess} running
 * @returns {string | null} null: as far as can be told from outside, its inspector will open. A handler of the application's
 *   own looks like Node's.
 */
function reasonAgainst (running) {
  const { executable, state, catchesSignal, isInOurNetwork } = running
  if (!isNode(running)) return `it is not Node.js, but ${executable}.`
  const flags = flagsOf(running)
  if (flags.includes('--disable-sigusr1')) return 'it runs with --disable-sigusr1.'
  if (catchesSignal === false) {
    return 'it does not wait for SIGUSR1, which would end it: ' +
      'it was built without the inspector, gave up a handler of its own, or is only starting.'
  }
  if (state === 'T' || state === 't') return 'it is stopped.'
  if (!isInOurNetwork) return 'it has a network of its own, where its inspector would open out of reach. Run this inside its container.'
  return portOf(running) === 0 ? 'its inspector is set to port 0, which is any free one.' : null
}

/**
 * @param {number} pid
 * @returns {number} where its inspector is, or would open
 */
function inspectorPort (pid) {
  const running = readRunning(pid)
  return running === null ? DEFAULT_PORT : portOf(running)
}

/** @param {RunningProcess} running */
function portOf (running) {
  return Number(flagsOf(running).flatMap(flag => PORT_FLAG.exec(flag)?.[1] ?? []).at(-1) ?? DEFAULT_PORT)
}

/** @param {RunningProcess} running */
function isNode ({ executable, libraries, threads }) {
  return NODE.test(path.basename(executable)) ||
    libraries.some(library => NODE_LIBRARY.test(library)) ||
    threads.includes('SignalInspector')
}

/** @param {RunningProcess} running */
function flagsOf ({ args, environment }) {
  const end = args.findIndex((arg, index) => index > 0 && !arg.startsWith('-') && !WITH_VALUE.has(args[index - 1]))
  return [...(environment.NODE_OPTIONS ?? '').split(/\s+/), ...args.slice(1, end === -1 ? undefined : end)]
}

module.exports = { assertAttachable, inspectorPort, reasonAgainst }
