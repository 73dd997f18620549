'use strict'

// Times the calls of a tracing channel: each call is one message object, published at its begin and at its end.

/** @import { DependencyCalls } from './dependency-calls' */

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

module.exports = { listenToTraced, restoreInCallbacks, firstWord, toStatement }
