'use strict'

// The entry points: for an application with HTTP, for one without, for the preload of an unmodified process, and the clock.

const { Handle } = require('./handle')
const { sharedInstruments } = require('../probe/shared-instruments')
const { STANDARD_ERROR, flushAtExit, makeLogger } = require('../shared/default-logger')
const clocks = require('../shared/clock')
const { findRegistry } = require('../probe/process/application')
const { guarded } = require('../base/guard')
const { setTimeout } = require('../base/timers')
const { assertKnownKeys } = require('../base/validate')

/** @import { ClockOptions, Diagnostics, DiagnosticsMiddleware, DiagnosticsOptions, Logger } from '../../types/diagnostics' */
/** @import { RequestMiddleware } from './http/middleware' */

// A process that ends sooner loads neither the logger nor the metrics client. An application that still loads then gets them in the first turn of its
// loop, before it accepts a connection.
const SETTLE_MS = 50

const SILENT = Object.freeze({ info () {}, warn () {}, error () {} })

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
 * The same without a middleware, for queue workers and scripts, and where a framework owns the server. It counts the requests of every HTTP server
 * of the process, if there are any. Nothing runs before start().
 * @param {DiagnosticsOptions} [options]  see docs/options.md
 * @returns {Diagnostics}
 * @throws ERR_LOOPSCOPE_INVALID_OPTION, ERR_LOOPSCOPE_UNKNOWN_OPTION
 */
function createDiagnostics (options) {
  const handle = new Handle(options)
  handle.openRequestChannel()
  return handle
}

/**
 * For `--require loopscope/register`: started, and counting the requests of every HTTP server in the process. It logs to standard error, because
 * a program's output must not contain loopscope's lines. The metrics go into the application's registry.
 * @returns {Handle}
 */
function observeProcess () {
  const logger = createLazyLogger({ fd: STANDARD_ERROR })
  const handle = new Handle(undefined, { logger: () => logger, registry: findRegistry })
  handle.openRequestChannel()
  handle.start()
  setTimeout(guarded(() => handle.settle(logger.make)), SETTLE_MS).unref()
  return handle
}

/**
 * A cached clock. While diagnostics run, the observer renews it, also when the main loop is blocked.
 * @param {ClockOptions} [options]
 * @throws ERR_LOOPSCOPE_INVALID_OPTION, ERR_LOOPSCOPE_UNKNOWN_OPTION
 */
function createClock (options = {}) {
  assertKnownKeys('options', options, ['resolutionMs', 'buffer'])
  const instruments = sharedInstruments()
  return clocks.createClock({ ...options, ...(instruments && { keeper: instruments.clocks.keeper }) })
}

/**
 * Gives the middleware all methods and properties of the handle.
 * @param {RequestMiddleware} middleware
 * @param {Handle} handle
 */
function asHandle (middleware, handle) {
  const names = /** @type {const} */ (['start', 'close', 'capture', 'stalls', 'slowRequests', 'requests', 'waits', 'memory', 'job', 'findings', 'whatIf', 'delay', 'syncCalls', 'route', 'mark', 'marks', 'on', 'once', 'off'])
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
    // Loaded on demand.
    fastify: { get: () => require('../probe/http/adapters/fastify').createFastifyPlugin(middleware) },
    koa: { get: () => require('../probe/http/adapters/koa').createKoaMiddleware(middleware) },
    registry: { get: () => handle.registry }
  })))
}

/**
 * The logger of a preload: created with its first line, or once the process has lived for a moment. Not later: an application may do to Error, or to
 * its files, what keeps pino from being loaded.
 * @param {Parameters<typeof makeLogger>[0]} options
 * @returns {Logger & { make (): void }}
 */
function createLazyLogger (options) {
  flushAtExit()
  /** @type {Logger | undefined} */
  let logger

  /** @returns {Logger} */
  function made () {
    if (logger !== undefined) return logger
    try {
      logger = makeLogger(options)
    } catch {
      return SILENT // the application has removed or replaced the files, as tests do
    }
    return logger
  }

  return {
    make: () => { made() },
    info: (...values) => made().info(...values),
    warn: (...values) => made().warn(...values),
    error: (...values) => made().error(...values)
  }
}

module.exports = { diagnostics, createDiagnostics, createClock, observeProcess, createLazyLogger }
