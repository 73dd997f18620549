'use strict'

// Calls that Node.js itself reports: TCP connections as they are opened, with their DNS lookup, and child processes until they end.

const path = require('node:path')
const { guarded } = require('../../../base/guard')
const { monotonicMicros } = require('../../../base/monotonic')

/** @import { Socket } from 'node:net' */
/** @import { DependencyCalls } from '../dependency-calls' */
/** @import { ChildProcess } from 'node:child_process' */

/** @param {DependencyCalls} calls */
function listenToNetSockets (calls) {
  const connections = calls.namesOf({ kind: 'net' })
  const lookups = calls.namesOf({ kind: 'dns' })
  return [calls.listen('net.client.socket', (/** @type {{ socket: Socket }} */ { socket }) => {
    const context = calls.request()
    const fromMicros = monotonicMicros()
    /** @type {ReturnType<DependencyCalls['begin']> | undefined} */
    let call
    /** @type {string | undefined} */
    let host
    const end = (/** @type {boolean} */ isError) => {
      for (const [event, listener] of Object.entries(listeners)) socket.off(event, listener)
      if (call !== undefined) calls.end(call, isError)
    }
    const listeners = {
      // It is emitted for each of several addresses. No listener for `error`: it would keep an unhandled one from being thrown.
      lookup: guarded((/** @type {Error | null} */ error, /** @type {unknown} */ address, /** @type {unknown} */ family, /** @type {string} */ name) => {
        if (host === undefined) calls.note(lookups.numberOf('lookup', name), fromMicros, error !== null && error !== undefined, context)
        host = name
      }),
      connectionAttempt: guarded((/** @type {string} */ ip, /** @type {number} */ port) => {
        call ??= calls.begin(connections.numberOf('connect', host ?? ip, port), context)
      }),
      connect: guarded(() => end(false)),
      close: guarded(() => end(true))
    }
    for (const [event, listener] of Object.entries(listeners)) socket.on(event, listener)
  })]
}

// Child processes, until they end: by the name of the command, never with its arguments. Forked ones are left out: they are long-running workers.

/** @param {DependencyCalls} calls */
function listenToChildProcesses (calls) {
  const names = calls.namesOf({ kind: 'process', toTarget: file => path.basename(String(file)) })
  return [calls.listen('child_process', (/** @type {{ process: ChildProcess }} */ { process: child }) => {
    const context = calls.request()
    /** @type {ReturnType<DependencyCalls['begin']> | undefined} */
    let call
    const begin = () => { call ??= calls.begin(names.numberOf('spawn', child.spawnfile), context) }
    child.once('spawn', guarded(() => { if (child.channel === null || child.channel === undefined) begin() }))
    child.once('exit', guarded(code => { if (call !== undefined) calls.end(call, code !== 0) }))
  })]
}

module.exports = { listenToChildProcesses, listenToNetSockets }
