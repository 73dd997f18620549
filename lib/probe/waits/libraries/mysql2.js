'use strict'

// mysql2, the client of MySQL and MariaDB: statements by their first word, connections, and the time until a pool gives one.

const { firstWord, listenToTraced, restoreInCallbacks, toStatement } = require('../traced-calls')

/** @import { DependencyCalls } from '../dependency-calls' */

/** @param {DependencyCalls} calls */
function listen (calls) {
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

module.exports = { listen }
