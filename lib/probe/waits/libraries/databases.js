'use strict'

// Databases: Redis and Valkey (ioredis, node-redis), MySQL and MariaDB (mysql2), and Microsoft SQL Server (mssql). Commands by name, SQL by its first word.

const { fromPerformanceNow } = require('../../../base/monotonic')
const { ACQUIRE, OTHER } = require('../call-names')

/** @import { DependencyCalls } from '../dependency-calls' */

// Also commands of modules: JSON.GET, FT.SEARCH.
const COMMAND = /^[A-Z][A-Z0-9_.-]{0,29}$/

const CONNECT = 'connect'
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

// mysql2, the client of MySQL and MariaDB: statements by their first word, connections, and the time until a pool gives one.

/** @param {DependencyCalls} calls */
function listenToMysql2 (calls) {
  const statements = calls.namesOf({ kind: 'mysql', toOperation: toStatement })
  const others = calls.namesOf({ kind: 'mysql' })
  const nameOf = (/** @type {any} */ { query, serverAddress, serverPort }) => statements.numberOf(firstWord(query), serverAddress, serverPort)
  const named = (/** @type {string} */ operation) => (/** @type {any} */ { serverAddress, serverPort }) => others.numberOf(operation, serverAddress, serverPort)
  return [
    ...listenToTraced(calls, 'mysql2:query', nameOf),
    ...listenToTraced(calls, 'mysql2:execute', nameOf),
    ...listenToTraced(calls, 'mysql2:connect', named('connect')),
    ...listenToTraced(calls, 'mysql2:pool:connect', named('acquire')),
    // A call that waited for a connection is called back in the request that released it.
    ...['mysql2:query', 'mysql2:execute', 'mysql2:pool:connect'].map(channel => restoreInCallbacks(calls, channel))
  ]
}

// mssql, the client of Microsoft SQL Server: statements by their first word, connections, and the time until a pool gives one.

// Pools whose address is cached: calls identify theirs by a number.
const MAX_POOLS = 500

/** @param {DependencyCalls} calls */
function listenToMssql (calls) {
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

// Times the calls of a tracing channel: each call is one message object, published at its begin and at its end.

/** On a message: its call. */
const CALL = Symbol('loopscope.call')

/**
 * @param {DependencyCalls} calls
 * @param {string} channel
 * @param {(message: any) => number | undefined} nameOf  name of its call; undefined: not a call
 * @returns {(() => void)[]} what ends the subscriptions
 */
function listenToTraced (calls, channel, nameOf) {
  const end = (/** @type {any} */ message, /** @type {boolean} */ isError) => {
    if (message[CALL] !== undefined) calls.end(message[CALL], isError)
  }
  return [
    calls.listen(`tracing:${channel}:start`, message => {
      const name = nameOf(message)
      if (name !== undefined) message[CALL] = calls.begin(name)
    }),
    // asyncStart comes before the application's callback, if any; asyncEnd comes after it. An error comes before both, and also where nothing
    // asynchronous began.
    calls.listen(`tracing:${channel}:asyncStart`, message => end(message, false)),
    calls.listen(`tracing:${channel}:error`, message => end(message, true))
  ]
}

/**
 * Runs callbacks of the application in the request that made the call: a connection runs them in its current context, which may be another request's.
 * @param {DependencyCalls} calls
 * @param {string} channel
 * @returns {() => void} ends it
 */
function restoreInCallbacks (calls, channel) {
  return calls.restoreRequest(`tracing:${channel}:asyncStart`, message => message[CALL])
}

/** The first word of an SQL statement; comments and brackets before it are skipped. */
const FIRST_WORD = /^(?:\s|\/\*[^]*?\*\/|--[^\n]*\n|\()*([a-z]+)/i

const STATEMENTS = new Set(('ALTER ANALYZE BEGIN CALL COMMIT CREATE DECLARE DELETE DESCRIBE DO DROP EXEC EXECUTE EXPLAIN GRANT INSERT KILL LOAD LOCK MERGE OPTIMIZE ' +
  'PREPARE RENAME REPLACE REVOKE ROLLBACK SAVEPOINT SELECT SET SHOW START TRUNCATE UNLOCK UPDATE USE VALUES WITH').split(' '))

/**
 * @param {unknown} statement
 * @returns {string | undefined} its first word: nothing else of it is read
 */
function firstWord (statement) {
  return typeof statement === 'string' ? FIRST_WORD.exec(statement)?.[1] : undefined
}

/** @param {unknown} word */
function toStatement (word) {
  const upper = String(word).toUpperCase()
  return STATEMENTS.has(upper) ? upper : '_other'
}

module.exports = { firstWord, listenToIoredis, listenToMssql, listenToMysql2, listenToNodeRedis, toStatement }
