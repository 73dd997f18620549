'use strict'

// The port of the listener of a worker: base + number. What another program listens on there is its own: no other port is tried.

const { errors } = require('../../../shared/base/errors')
const { MAX_WORKERS } = require('../../../shared/admin/worker-group')

/** @import { ListenAddress } from '../../../main/admin/address' */

/**
 * @typedef {object} WorkerFacts  of a process that has siblings, plain data
 * @property {number | null} clusterId   of node:cluster; grows with each worker that is replaced
 * @property {{ id: string, instance: number } | null} pm2
 *
 * @param {ListenAddress} address  as the option says it
 * @param {WorkerFacts} worker
 * @param {Pick<ReturnType<typeof import('../../../shared/admin/worker-group').createWorkerGroup>, 'number' | 'takeOver'>} group
 * @param {AbortSignal} signal
 * @returns {Promise<ListenAddress>}
 * @throws ERR_LOOPSCOPE_SOCKET_UNUSABLE
 */
async function workerAddress (address, worker, group, signal) {
  // Port 0 is any free one, for every worker.
  if ('socketPath' in address || address.port === 0) return address
  const number = await numberOf(worker, group, signal)
  if (number > MAX_WORKERS) {
    const reason = `each worker has its own, at most ${MAX_WORKERS} of them`
    throw new errors.ERR_LOOPSCOPE_SOCKET_UNUSABLE(`a port from ${address.port} on`, reason)
  }
  return { ...address, port: address.port + number }
}

/**
 * @param {WorkerFacts} worker
 * @param {Parameters<typeof workerAddress>[2]} group
 * @param {AbortSignal} signal
 */
async function numberOf ({ clusterId, pm2 }, group, signal) {
  try {
    if (pm2 === null) return group.number()
    await group.takeOver(`pm2-${pm2.id}`, signal)
  } catch (error) {
    if (signal.aborted) throw error // else there is no directory for it: then at least those that were not replaced agree
  }
  return pm2?.instance ?? clusterId ?? 0
}

module.exports = { workerAddress }
