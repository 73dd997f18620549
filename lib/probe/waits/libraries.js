'use strict'

// The table of libraries that report their calls, and of Node's own channels; a test keeps docs/dependency-calls.md equal to it. A channel without a
// publisher costs nothing, so all are subscribed to, independent of what the application loads and when.
//
// To add one: a row here, a file in libraries/, and a test against the library.

const childProcess = require('./libraries/child-process')
const httpClient = require('./libraries/http-client')
const mssql = require('./libraries/mssql')
const mysql2 = require('./libraries/mysql2')
const netSockets = require('./libraries/net-sockets')
const redis = require('./libraries/redis')
const undici = require('./libraries/undici')

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
  { name: 'ioredis', since: '5.11', kind: 'redis', listen: redis.listenToIoredis },
  { name: 'redis', since: '5.12', kind: 'redis', listen: redis.listenToNodeRedis },
  { name: 'mysql2', since: '3.20', kind: 'mysql', listen: mysql2.listen },
  { name: 'mssql', since: '12.4', kind: 'mssql', listen: mssql.listen },
  { name: 'undici', since: '5', kind: 'http', listen: undici.listen },
  { name: 'node:http', since: '20.19', kind: 'http', listen: httpClient.listen },
  { name: 'node:net', since: '20.19', kind: 'net', listen: netSockets.listen },
  { name: 'node:child_process', since: '20.19', kind: 'process', listen: childProcess.listen }
])

module.exports = { LIBRARIES }
