'use strict'

// The ways in: for an application with HTTP, for one without, for a process that knows nothing of us, and the clock.

const { Handle } = require('./handle')
const { sharedInstruments } = require('../probe/shared-instruments')
const { STANDARD_ERROR } = require('../shared/default-logger')
const { createLateLogger } = require('./late-logger')
const clocks = require('../shared/clock')
const { findRegistry } = require('../probe/process/application-registry')
const { guarded } = require('../base/guard')
const { setTimeout } = require('../base/timers')
const { assertKnownKeys } = require('../base/validate')

/** @import { ClockOptions, Diagnostics, DiagnosticsMiddleware, DiagnosticsOptions } from '../../types/diagnostics' */
/** @import { RequestMiddleware } from './http/middleware' */

// A process that ends before is spared the logger and the metrics client. An application that is still being loaded then is asked in the first turn of
// its loop, before it takes a connection.
const SETTLE_MS = 50

/**
 * Starts diagnostics and returns an Express / Connect middleware that is also the handle.
 * @param {DiagnosticsOptions} [options]  see docs/options.md
 * @returns {DiagnosticsMiddleware}
 * @throws ERR_LOOPSCOPE_INVALID_OPTION, ERR_LOOPSCOPE_UNKNOWN_OPTION, ERR_LOOPSCOPE_ENGINE_MISSING
 */
function diagnostics (options) {
  const handle = new Handle(options)
  const middleware = handle.openMiddleware()
  handle.start()
  return asHandle(middleware, handle)
}

/**
 * The same without HTTP, for queue workers and scripts. Nothing runs before start().
 * @param {DiagnosticsOptions} [options]  see docs/options.md
 * @returns {Diagnostics}
 * @throws ERR_LOOPSCOPE_INVALID_OPTION, ERR_LOOPSCOPE_UNKNOWN_OPTION
 */
function createDiagnostics (options) {
  return new Handle(options)
}

/**
 * For `--require loopscope/register`: started, and with the requests of every HTTP server in the process. It logs to
 * standard error: what reads the output of a program that knows nothing of us must not find our lines in it. The metrics go
 * into the application's registry.
 * @param {object} [how]
 * @param {boolean} [how.mayEndSoon]  then the logger and the metrics client are loaded a moment later, or with the first use
 * @returns {Handle}
 */
function observeProcess ({ mayEndSoon = false } = {}) {
  const logger = createLateLogger({ fd: STANDARD_ERROR })
  const handle = new Handle(undefined, { logger: () => logger, registry: findRegistry, isLate: true })
  handle.openRequestChannel()
  handle.start()
  const settle = guarded(() => handle.settle(logger.make))
  if (mayEndSoon) setTimeout(settle, SETTLE_MS).unref()
  else settle()
  return handle
}

/**
 * A cached clock. Where diagnostics run the observer renews it, also while the main loop is blocked.
 * @param {ClockOptions} [options]
 * @throws ERR_LOOPSCOPE_INVALID_OPTION, ERR_LOOPSCOPE_UNKNOWN_OPTION
 */
function createClock (options = {}) {
  assertKnownKeys('options', options, ['resolutionMs', 'buffer'])
  const instruments = sharedInstruments()
  return clocks.createClock({ ...options, ...(instruments && { keeper: instruments.clocks.keeper }) })
}

/**
 * The middleware, answering to everything that the handle answers to.
 * @param {RequestMiddleware} middleware
 * @param {Handle} handle
 */
function asHandle (middleware, handle) {
  const names = /** @type {const} */ (['start', 'close', 'capture', 'stalls', 'slowRequests', 'findings', 'delay', 'syncCalls', 'route', 'mark', 'marks', 'on', 'once', 'off'])
  const methods = Object.fromEntries(names.map(name => [name, {
    value: (/** @type {any[]} */ ...values) => {
      const result = /** @type {any} */ (handle)[name](...values)
      return result === handle ? middleware : result
    }
  }]))
  return /** @type {DiagnosticsMiddleware} */ (/** @type {unknown} */ (Object.defineProperties(middleware, {
    ...methods,
    running: { get: () => handle.running },
    armed: { get: () => handle.armed, set: armed => { handle.armed = armed } },
    clock: { get: () => handle.clock },
    heap: { value: handle.heap },
    // Loaded by those who use them.
    fastify: { get: () => require('../probe/http/adapters/fastify').createFastifyPlugin(middleware) },
    koa: { get: () => require('../probe/http/adapters/koa').createKoaMiddleware(middleware) },
    registry: { value: handle.registry }
  })))
}

module.exports = { diagnostics, createDiagnostics, createClock, observeProcess }
