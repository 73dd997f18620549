'use strict'

// mssql, the client of Microsoft SQL Server: statements by their first word, connections, and the time until a pool gives one.

const { firstWord, listenToTraced, toStatement } = require('../traced-calls')

/** @import { DependencyCalls } from '../dependency-calls' */

// Pools whose address is cached: calls identify theirs by a number.
const MAX_POOLS = 500

/** @param {DependencyCalls} calls */
function listen (calls) {
  const statements = calls.namesOf({ kind: 'mssql', toOperation: toStatement })
  const others = calls.namesOf({ kind: 'mssql' })
  /** @type {Map<number, { server: string, port: number | undefined }>} */
  const pools = new Map()
  const poolOf = (/** @type {any} */ { poolId }) => pools.get(poolId) ?? { server: undefined, port: undefined }
  const stated = (/** @type {string} */ property) => (/** @type {any} */ message) => {
    const { server, port } = poolOf(message)
    return statements.numberOf(firstWord(message[property]), server, port)
  }
  const named = (/** @type {string} */ operation) => (/** @type {any} */ message) => {
    const { server, port } = poolOf(message)
    return others.numberOf(operation, server, port)
  }
  return [
    ...listenToTraced(calls, 'mssql:query', stated('command')),
    ...listenToTraced(calls, 'mssql:batch', stated('command')),
    ...listenToTraced(calls, 'mssql:prepared-statement:execute', stated('statement')),
    ...listenToTraced(calls, 'mssql:prepared-statement:prepare', named('prepare')),
    ...listenToTraced(calls, 'mssql:execute', named('EXECUTE')),
    ...listenToTraced(calls, 'mssql:bulk', named('bulk')),
    ...listenToTraced(calls, 'mssql:pool:acquire', named('acquire')),
    ...listenToTraced(calls, 'mssql:connect', message => {
      const { poolId, server, port } = message
      if (pools.size < MAX_POOLS) pools.set(poolId, { server, port })
      return named('connect')(message)
    }),
    calls.listen('mssql:pool:close', ({ poolId }) => { pools.delete(poolId) })
  ]
}

module.exports = { listen }
