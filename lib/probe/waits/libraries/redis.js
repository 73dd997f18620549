'use strict'

// The two clients of Redis and Valkey, ioredis and redis (node-redis): commands by their names, connections, and the time until a pool gives one.

const { fromPerformanceNow } = require('../../../base/monotonic')
const { listenToTraced } = require('../traced-calls')
const { OTHER } = require('../call-names')

/** @import { DependencyCalls } from '../dependency-calls' */

// Also commands of modules: JSON.GET, FT.SEARCH.
const COMMAND = /^[A-Z][A-Z0-9_.-]{0,29}$/

const CONNECT = 'connect'
const ACQUIRE = 'acquire'
const OWN = [CONNECT, ACQUIRE]

// Clients whose address is cached, for their pools.
const MAX_CLIENTS = 500

/** @param {any} command */
function toCommand (command) {
  if (OWN.includes(command)) return command
  const upper = String(command).toUpperCase()
  return COMMAND.test(upper) ? upper : OTHER
}

/** @param {DependencyCalls} calls */
function listenToIoredis (calls) {
  const names = calls.namesOf({ kind: 'redis', toOperation: toCommand })
  return [
    // It reports each command of a MULTI, and the whole of it once more on a separate channel.
    ...listenToTraced(calls, 'ioredis:command', ({ command, serverAddress, serverPort }) => names.numberOf(command, serverAddress, serverPort)),
    ...listenToTraced(calls, 'ioredis:connect', ({ serverAddress, serverPort }) => names.numberOf(CONNECT, serverAddress, serverPort))
  ]
}

/** @param {DependencyCalls} calls */
function listenToNodeRedis (calls) {
  const names = calls.namesOf({ kind: 'redis', toOperation: toCommand })
  /** @type {Map<string, { serverAddress: string, serverPort: number | undefined }>} */
  const clients = new Map()
  return [
    ...listenToTraced(calls, 'node-redis:command', ({ command, serverAddress, serverPort }) => names.numberOf(command, serverAddress, serverPort)),
    // The commands of a MULTI are reported only as a whole, those of a pipeline also one by one.
    ...listenToTraced(calls, 'node-redis:batch', ({ batchMode, serverAddress, serverPort }) => {
      return batchMode === 'MULTI' ? names.numberOf('MULTI', serverAddress, serverPort) : undefined
    }),
    ...listenToTraced(calls, 'node-redis:connect', ({ clientId, serverAddress, serverPort }) => {
      if (clients.size < MAX_CLIENTS) clients.set(clientId, { serverAddress, serverPort })
      return names.numberOf(CONNECT, serverAddress, serverPort)
    }),
    calls.listen('node-redis:connection:closed', ({ clientId }) => { clients.delete(clientId) }),
    // Published when a client is handed out, in the context of the request that released it: the waiting request is not available.
    calls.listen('node-redis:pool:connection-wait', ({ clientId, waitStartTimestamp }) => {
      const { serverAddress, serverPort } = clients.get(clientId) ?? { serverAddress: undefined, serverPort: undefined }
      calls.note(names.numberOf(ACQUIRE, serverAddress, serverPort), fromPerformanceNow(waitStartTimestamp), false, null)
    })
  ]
}

module.exports = { listenToIoredis, listenToNodeRedis }
