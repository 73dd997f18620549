'use strict'

// Facts about this process as a worker of a Node.js cluster, and about its primary.

const fs = require('node:fs')
const { hasSignal } = require('./process-ids')

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
 * @returns {number | null} the process of the primary, if the signal would end it and its workers; null also if unknown
 */
function primaryThatDiesOf (signal) {
  const pid = process.ppid
  if (pid <= 1 || clusterWorkerId() === null) return null // it is gone; and what is process 1 dies of no signal that it does not handle
  try {
    const status = fs.readFileSync(`/proc/${pid}/status`, 'latin1')
    const maskOf = (/** @type {string} */ name) => String(new RegExp(`^${name}:\\s*([0-9a-f]+)$`, 'm').exec(status)?.[1])
    const isHandled = ['SigIgn', 'SigCgt'].some(name => hasSignal(maskOf(name), signal))
    return isHandled ? null : pid
  } catch {
    return null // no /proc
  }
}

module.exports = { clusterWorkerId, primaryThatDiesOf }
