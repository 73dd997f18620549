'use strict'

// Every error a user can encounter, by code. The message has the option or file, what was expected and what was passed.
// docs/errors.md and types/errors.d.ts list the same codes; test/internal/errors.test.js holds them equal.

const { format } = require('node:util')
const { printableLines } = require('./printable')

/** @import { LoopscopeErrorCode } from '../../types/errors' */

const MAX_LENGTH = 4000 // of each value

/**
 * @param {string} code
 * @param {string} template  a util.format template
 * @param {ErrorConstructor | TypeErrorConstructor | RangeErrorConstructor} [Base]
 */
function define (code, template, Base = Error) {
  return class LoopscopeError extends /** @type {ErrorConstructor} */ (Base) {
    /** @param {unknown[]} values */
    constructor (...values) {
      super(format(template, ...values.map(toShow)))
      this.code = /** @type {LoopscopeErrorCode} */ (code)
    }

    get name () { return `${Base.name} [${this.code}]` }
  }
}

/** A variable or a request may hold anything, also what controls a terminal. @param {unknown} value */
function toShow (value) {
  if (typeof value !== 'string') return value
  return printableLines(value.length <= MAX_LENGTH ? value : `${value.slice(0, MAX_LENGTH)}…`)
}

const errors = {
  ERR_LOOPSCOPE_INVALID_OPTION: define('ERR_LOOPSCOPE_INVALID_OPTION', '%s must be %s, got %s', TypeError),
  ERR_LOOPSCOPE_UNKNOWN_OPTION: define('ERR_LOOPSCOPE_UNKNOWN_OPTION', '%s is not an option; %s: %s', TypeError),
  ERR_LOOPSCOPE_UNKNOWN_KIND: define('ERR_LOOPSCOPE_UNKNOWN_KIND', '%s is not a kind of capture; valid kinds: %s', TypeError),
  ERR_LOOPSCOPE_UNKNOWN_FORMAT: define('ERR_LOOPSCOPE_UNKNOWN_FORMAT', '%s is not a format of a %s capture; valid formats: %s', TypeError),
  ERR_LOOPSCOPE_UNKNOWN_ROUTE: define('ERR_LOOPSCOPE_UNKNOWN_ROUTE', 'the profile has no samples of the route %s; its routes: %s'),
  ERR_LOOPSCOPE_INVALID_PROFILE: define('ERR_LOOPSCOPE_INVALID_PROFILE', '%s is not a V8 CPU profile: expected %s, got %s', TypeError),
  ERR_LOOPSCOPE_ENGINE_MISSING: define('ERR_LOOPSCOPE_ENGINE_MISSING', 'the %s engine needs the package %s, which is not installed or does not load here (%s); run: npm install %s'),
  ERR_LOOPSCOPE_ENGINE_UNSUPPORTED: define('ERR_LOOPSCOPE_ENGINE_UNSUPPORTED', 'the %s engine needs %s; this is Node.js %s'),
  ERR_LOOPSCOPE_RECORDER_OFF: define('ERR_LOOPSCOPE_RECORDER_OFF', 'no CPU profile is available: %s'),
  ERR_LOOPSCOPE_EMPTY_VIEW: define('ERR_LOOPSCOPE_EMPTY_VIEW', 'the recorder holds no samples from %s to %s; it keeps the last %d s and started at %s'),
  ERR_LOOPSCOPE_UNKNOWN_MARK: define('ERR_LOOPSCOPE_UNKNOWN_MARK', "there is no mark '%s'; marks of this process: %s"),
  ERR_LOOPSCOPE_MARK_OUT_OF_REACH: define('ERR_LOOPSCOPE_MARK_OUT_OF_REACH', "the recorder does not hold a second before and after the mark '%s': %s; marks that can be compared: %s"),
  ERR_LOOPSCOPE_STORE_UNWRITABLE: define('ERR_LOOPSCOPE_STORE_UNWRITABLE', 'cannot write captures to %s (option dir): %s'),
  ERR_LOOPSCOPE_STORE_UNSAFE: define('ERR_LOOPSCOPE_STORE_UNSAFE', 'refused to write captures to %s (option dir): expected a directory owned by this user, got %s'),
  ERR_LOOPSCOPE_STORE_FULL: define('ERR_LOOPSCOPE_STORE_FULL', 'refused to write %d bytes to %s (option dir): %s'),
  ERR_LOOPSCOPE_CAPTURE_CANCELLED: define('ERR_LOOPSCOPE_CAPTURE_CANCELLED', 'the %s capture was cancelled: %s'),
  ERR_LOOPSCOPE_INVALID_SNAPSHOT: define('ERR_LOOPSCOPE_INVALID_SNAPSHOT', '%s is not a valid heap snapshot: expected %s, got %s'),
  ERR_LOOPSCOPE_SNAPSHOT_REFUSED: define('ERR_LOOPSCOPE_SNAPSHOT_REFUSED', 'refused to take a heap snapshot: %s. Instead, %s'),
  ERR_LOOPSCOPE_SNAPSHOT_BUSY: define('ERR_LOOPSCOPE_SNAPSHOT_BUSY', 'a heap snapshot is already being taken: only one at a time'),
  ERR_LOOPSCOPE_THREADS_BUSY: define('ERR_LOOPSCOPE_THREADS_BUSY', 'worker threads are already being recorded: only one recording at a time'),
  ERR_LOOPSCOPE_SNAPSHOT_COOLDOWN: define('ERR_LOOPSCOPE_SNAPSHOT_COOLDOWN', 'a heap snapshot was taken less than %d s ago: the next is allowed in %d s, or with force'),
  ERR_LOOPSCOPE_COMPARISON_REFUSED: define('ERR_LOOPSCOPE_COMPARISON_REFUSED', 'refused to compare heap snapshots in this process: %s. Download them and compare them with `loopscope diff`'),
  ERR_LOOPSCOPE_COMPARISON_BUSY: define('ERR_LOOPSCOPE_COMPARISON_BUSY', 'heap snapshots are already being compared: only one comparison at a time'),
  ERR_LOOPSCOPE_OBSERVER_LOST: define('ERR_LOOPSCOPE_OBSERVER_LOST', 'the observer thread is not running: %s'),
  ERR_LOOPSCOPE_BUNDLED: define('ERR_LOOPSCOPE_BUNDLED', '%s is missing: loopscope is part of a bundle. Please %s. See docs/bundlers.md'),
  ERR_LOOPSCOPE_LOOP_BLOCKED: define('ERR_LOOPSCOPE_LOOP_BLOCKED', 'the main thread did not answer within %d ms: its event loop is blocked'),
  ERR_LOOPSCOPE_SOCKET_UNUSABLE: define('ERR_LOOPSCOPE_SOCKET_UNUSABLE', 'cannot listen on %s: %s'),
  ERR_LOOPSCOPE_NO_GROUP: define('ERR_LOOPSCOPE_NO_GROUP', 'this process belongs to no group: it has no control socket'),
  ERR_LOOPSCOPE_INSPECTOR_UNAVAILABLE: define('ERR_LOOPSCOPE_INSPECTOR_UNAVAILABLE', '%s needs the inspector, which is not available in this Node.js'),
  ERR_LOOPSCOPE_NOT_RUNNING: define('ERR_LOOPSCOPE_NOT_RUNNING', 'diagnostics are not running: call start() before %s')
}

/** An error as plain data, to send it from the observer thread to the main thread. @param {any} error */
function toPlain (error) {
  return { name: error.name, message: error.message, code: error.code, stack: error.stack }
}

/**
 * The reverse of toPlain(): an error of the right class.
 * @param {{ message: string, code?: string }} plain
 * @returns {Error}
 */
function fromPlain ({ message, code }) {
  const Known = Object.hasOwn(errors, code ?? '') ? errors[/** @type {keyof typeof errors} */ (code)] : undefined
  if (!Known) return Object.assign(new Error(message), code === undefined ? {} : { code })
  const error = /** @type {Error} */ (/** @type {unknown} */ (new Known()))
  error.message = message
  return error
}

module.exports = { errors, toPlain, fromPlain }
