'use strict'

// Child processes, until they end: by the name of the command, never with its arguments. Forked ones are left out: they are long-running workers.

const path = require('node:path')
const { guarded } = require('../../../base/guard')

/** @import { ChildProcess } from 'node:child_process' */
/** @import { DependencyCalls } from '../dependency-calls' */

/** @param {DependencyCalls} calls */
function listen (calls) {
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

module.exports = { listen }
