'use strict'

// Every warning, by code, each logged once a process (or once each time that it begins to hold): what is missing, why, and what still works.

const { format } = require('node:util')

/** @import { Logger } from '../../../types/diagnostics' */

const WARNINGS = Object.freeze({
  LOOPSCOPE_WARN_RECORDER_UNAVAILABLE: 'the recorder is off: %s. Loop delay, stalls and metrics still work; stalls have no culprit and CPU captures are refused',
  LOOPSCOPE_WARN_RECORDER_PAUSED: 'the recorder is paused: %s. Profiles belong to the debugger now; it goes on when the debugger has left, or the inspector is closed',
  LOOPSCOPE_WARN_SESSION_AWAY: 'this process stood in a pause of a debugger, or was about to end, where Node waits for our inspector session: the observer lets go of it each time and takes it up later. Meanwhile nothing is recorded, and stalls have no culprit',
  LOOPSCOPE_WARN_OBSERVER_UNAVAILABLE: 'the observer thread is not running: %s. Loop delay and metrics still work; stalls have neither culprit nor cause and captures are refused',
  LOOPSCOPE_WARN_OBSERVER_LOST: 'the observer thread was lost: %s. It is started again, captures under way have failed, and the recorder holds nothing of the time before',
  LOOPSCOPE_WARN_SHARED_OPTIONS: 'this process is already observed with other settings; the first ones stay: %s',
  LOOPSCOPE_WARN_SIGNAL_SKIPPED: 'no handler for %s: %s. Captures are still open through the API: diagnostics.capture()',
  LOOPSCOPE_WARN_STORE: 'captures will fail until this is mended: %s',
  LOOPSCOPE_WARN_METRIC_TAKEN: 'the registry already has a metric named %s; ours is left out',
  LOOPSCOPE_WARN_ROUTE: 'route(request, template) has no effect: %s. The request keeps the route that is known of it',
  LOOPSCOPE_WARN_ROUTE_LIMIT: 'more than %d routes: further ones are counted as _other',
  LOOPSCOPE_WARN_LISTENER: 'the admin listener does not listen: %s. The application and everything else go on',
  LOOPSCOPE_WARN_CONTROL_SOCKET: 'the command line cannot reach this process: %s. Everything else works',
  LOOPSCOPE_WARN_GROUP_COUNTERS: 'processes of the group that end, or do not answer, take their counts with them: %s. The metrics of those that answer are there',
  LOOPSCOPE_WARN_NEAR_LIMIT: 'no evidence will be left when the heap overflows: %s. Everything else works',
  LOOPSCOPE_WARN_EGRESS: 'egress of %s to %s does not arrive: %s. What fits waits on disk and is tried again; the application is not affected',
  LOOPSCOPE_WARN_EGRESS_OFF: 'nothing is sent by option egress: %s. Everything else works',
  LOOPSCOPE_WARN_SOURCE_MAP: 'a source map cannot be used, so that code is shown as it runs: %s',
  LOOPSCOPE_WARN_INTERNAL: 'a fault of ours was caught, the application is not affected: %s'
})

/** @typedef {keyof typeof WARNINGS} WarningCode */

/** @type {Set<WarningCode>} */
const emitted = new Set()

/**
 * Logs the warning the first time it is met in this process. Never throws: a logger that does is not our user's problem.
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
 * Of what ends and begins anew, and of which the end is logged, too.
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

/** Lets tests, and a process that was closed and is started again, meet every warning anew. */
function forgetWarnings () {
  emitted.clear()
}

module.exports = { WARNINGS, warn, warnOnce, forgetWarnings }
