'use strict'

// Every warning, by code: what does not work, why, and what still works. Each is logged once per process, or each time the problem starts again.

const { format } = require('node:util')

/** @import { Logger } from '../../types/diagnostics' */

const WARNINGS = Object.freeze({
  LOOPSCOPE_WARN_RECORDER_UNAVAILABLE: 'the recorder is off: %s. Loop delay, stalls and metrics still work, but stalls have no culprit and CPU captures fail',
  LOOPSCOPE_WARN_RUNTIME: 'this is %s, not Node.js: loop delay, stalls with their routes, slow requests and metrics work; culprits, CPU captures, heap histograms and allocation profiles need the inspector of Node.js, and are missing',
  LOOPSCOPE_WARN_RECORDER_PAUSED: 'the recorder is paused: %s. It would send its profiles to the debugger; it continues when the debugger disconnects or the inspector is closed',
  LOOPSCOPE_WARN_SESSION_AWAY: 'the main thread was paused by a debugger or about to exit, and Node.js waits there for the inspector session of loopscope: the observer disconnects and reconnects later. Meanwhile a stall is not looked at while it lasts, and with the engine inspector nothing is recorded',
  LOOPSCOPE_WARN_OBSERVER_UNAVAILABLE: 'the observer thread is not running: %s. Loop delay and metrics still work, but stalls have neither culprit nor cause and captures fail',
  LOOPSCOPE_WARN_OBSERVER_LOST: 'the observer thread ended unexpectedly: %s. It is restarted; captures in progress have failed, and the recorder starts empty',
  LOOPSCOPE_WARN_SHARED_OPTIONS: 'this process is already observed with other settings, which stay in effect: %s',
  LOOPSCOPE_WARN_SIGNAL_SKIPPED: 'no handler for %s: %s. Captures are still possible with diagnostics.capture()',
  LOOPSCOPE_WARN_STORE: 'captures will fail until this is fixed: %s',
  LOOPSCOPE_WARN_METRIC_TAKEN: 'the registry already has a metric named %s; the one of loopscope is not registered',
  LOOPSCOPE_WARN_ROUTE: 'route(request, template) has no effect: %s. The request keeps its detected route',
  LOOPSCOPE_WARN_ROUTE_LIMIT: 'more than %d routes: further ones are counted as _other',
  LOOPSCOPE_WARN_JOB: 'a job is shown as _other: %s. It runs all the same',
  LOOPSCOPE_WARN_LISTENER: 'the admin listener could not start: %s. Everything else works',
  LOOPSCOPE_WARN_CONTROL_SOCKET: 'the command line cannot reach this process: %s. Everything else works',
  LOOPSCOPE_WARN_GROUP_COUNTERS: 'counters of group members that ended or do not answer are missing: %s. The metrics of the others are complete',
  LOOPSCOPE_WARN_NEAR_LIMIT: 'onNearHeapLimit has no effect: %s. Everything else works',
  LOOPSCOPE_WARN_EGRESS: 'egress of %s to %s fails: %s. Data waits on disk, up to the limit, and is retried; the application is not affected',
  LOOPSCOPE_WARN_EGRESS_OFF: 'the option egress sends nothing: %s. Everything else works',
  LOOPSCOPE_WARN_SOURCE_MAP: 'a source map cannot be used, so positions are those of the generated code: %s',
  LOOPSCOPE_WARN_INTERNAL: 'an internal error of loopscope was caught, the application is not affected: %s'
})

/** @typedef {keyof typeof WARNINGS} WarningCode */

/** @type {Set<WarningCode>} */
const emitted = new Set()

/**
 * Logs the warning once per process. Never throws, even if the logger does.
 * @param {Pick<Logger, 'warn'>} logger
 * @param {WarningCode} code
 * @param {unknown[]} values
 */
function warnOnce (logger, code, ...values) {
  if (emitted.has(code)) return
  emitted.add(code)
  warn(logger, code, ...values)
}

/**
 * Logs the warning each time, for problems that end and start again.
 * @param {Pick<Logger, 'warn'>} logger
 * @param {WarningCode} code
 * @param {unknown[]} values
 */
function warn (logger, code, ...values) {
  try {
    const [first] = values
    logger.warn({ code, ...(first instanceof Error ? { err: first } : {}) },
      format(WARNINGS[code], ...values.map(value => value instanceof Error ? value.message : value)))
  } catch {}
}

/** Lets every warning be logged again: for tests, and for a process that was closed and is started again. */
function forgetWarnings () {
  emitted.clear()
}

module.exports = { WARNINGS, warn, warnOnce, forgetWarnings }
