'use strict'

// The calls of a tracing channel: each is one message object, published at its begin and at its end.

/** @import { DependencyCalls } from './dependency-calls' */

/** On a message: its call. */
const CALL = Symbol('loopscope.call')

/**
 * @param {DependencyCalls} calls
 * @param {string} channel
 * @param {(message: any) => number | undefined} nameOf  of its call; undefined: it is none
 * @returns {(() => void)[]} what ends it
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
    // Before the callback of the application, where there is one; asyncEnd comes after it. An error comes before both, and also where nothing asynchronous began.
    calls.listen(`tracing:${channel}:asyncStart`, message => end(message, false)),
    calls.listen(`tracing:${channel}:error`, message => end(message, true))
  ]
}

/**
 * Has callbacks of the application go on in the request that made the call: a connection calls them wherever it is, which may be in another request.
 * @param {DependencyCalls} calls
 * @param {string} channel
 * @returns {() => void} ends it
 */
function restoreInCallbacks (calls, channel) {
  return calls.restoreRequest(`tracing:${channel}:asyncStart`, message => message[CALL])
}

/** Of SQL, comments and brackets before it skipped. */
const FIRST_WORD = /^(?:\s|\/\*[^]*?\*\/|--[^\n]*\n|\()*([a-z]+)/i

const STATEMENTS = new Set(('ALTER ANALYZE BEGIN CALL COMMIT CREATE DECLARE DELETE DESCRIBE DO DROP EXEC EXECUTE EXPLAIN GRANT INSERT KILL LOAD LOCK MERGE OPTIMIZE ' +
  'PREPARE RENAME REPLACE REVOKE ROLLBACK SAVEPOINT SELECT SET SHOW START TRUNCATE UNLOCK UPDATE USE VALUES WITH').split(' '))

/**
 * @param {unknown} statement
 * @returns {string | undefined} what it begins with: nothing else of it is looked at
 */
function firstWord (statement) {
  return typeof statement === 'string' ? FIRST_WORD.exec(statement)?.[1] : undefined
}

/** @param {unknown} word */
function toStatement (word) {
  const upper = String(word).toUpperCase()
  return STATEMENTS.has(upper) ? upper : '_other'
}

module.exports = { listenToTraced, restoreInCallbacks, firstWord, toStatement }
