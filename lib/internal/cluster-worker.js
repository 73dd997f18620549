'use strict'

// This process as the worker of a Node.js cluster, and what it can know of its primary.

const fs = require('node:fs')
const os = require('node:os')

/** @type {number | null | undefined} */
let workerId

/** @returns {number | null} null outside a cluster; it never changes, and is asked for first while the application is being set up */
function clusterWorkerId () {
  if (workerId === undefined) workerId = readWorkerId()
  return workerId
}

function readWorkerId () {
  if (process.channel === undefined) return null // a worker has one; loading node:cluster takes a millisecond
  const { worker } = /** @type {{ worker?: { id: number } }} */ (/** @type {unknown} */ (require('node:cluster')))
  return worker?.id ?? null
}

/**
 * @param {NodeJS.Signals} signal
 * @returns {number | null} the primary's process, where the signal would end it and its workers; null also where nobody can tell
 */
function primaryThatDiesOf (signal) {
  const pid = process.ppid
  if (pid <= 1 || clusterWorkerId() === null) return null // it is gone; and what is process 1 dies of no signal that it does not handle
  try {
    const status = fs.readFileSync(`/proc/${pid}/status`, 'latin1')
    const handled = ['SigIgn', 'SigCgt'].map(name => BigInt(`0x${new RegExp(`^${name}:\\s*([0-9a-f]+)$`, 'm').exec(status)?.[1]}`))
    const bit = 1n << BigInt(os.constants.signals[signal] - 1)
    return handled.some(mask => (mask & bit) !== 0n) ? null : pid
  } catch {
    return null // no /proc
  }
}

module.exports = { clusterWorkerId, primaryThatDiesOf }
