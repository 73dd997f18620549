'use strict'

// The table of libraries that report their calls, and of Node's own channels; a test keeps docs/dependency-calls.md equal to it. A channel without a
// publisher costs nothing, so all are subscribed to, independent of what the application loads and when.
//
// To add one: a row here, its function in a file of libraries/, and a test against the library.

const { listenToIoredis, listenToMssql, listenToMysql2, listenToNodeRedis } = require('./libraries/databases')
const { listenToChildProcesses, listenToNetSockets } = require('./libraries/node-channels')
const { listenToGrpc, listenToHttpClient, listenToUndici } = require('./libraries/outgoing-http')

/** @import { DependencyCalls } from './dependency-calls' */

/**
 * @typedef {object} LibraryRow
 * @property {string} name   of the package or the module
 * @property {string} since  first version that reports its calls
 * @property {string} kind   of its calls
 * @property {(calls: DependencyCalls) => (() => void)[]} listen  returns what ends it
 */

/** @type {readonly LibraryRow[]} */
const LIBRARIES = Object.freeze([
  { name: 'ioredis', since: '5.11', kind: 'redis', listen: listenToIoredis },
  { name: 'redis', since: '5.12', kind: 'redis', listen: listenToNodeRedis },
  { name: 'mysql2', since: '3.20', kind: 'mysql', listen: listenToMysql2 },
  { name: 'mssql', since: '12.4', kind: 'mssql', listen: listenToMssql },
  { name: 'undici', since: '5', kind: 'http', listen: listenToUndici },
  { name: 'node:http', since: '20.19', kind: 'http', listen: listenToHttpClient },
  { name: '@grpc/grpc-js', since: '1', kind: 'grpc', listen: listenToGrpc },
  { name: 'node:net', since: '20.19', kind: 'net', listen: listenToNetSockets },
  { name: 'node:child_process', since: '20.19', kind: 'process', listen: listenToChildProcesses }
])

module.exports = { LIBRARIES }
