'use strict'

// Decides when a process with the preload begins to be observed. The preload reaches every command that a shell or a package manager starts, and most
// of them end before there is anything to observe. So it starts nothing and loads almost nothing until an application loads a server module, the
// process listens, starts diagnostics of its own, receives a signal that captures, or has lived for two seconds; for a minute, if it is a package's command:
// builds and test runs block their loop as much as they like, and nobody waits for it.

const fs = require('node:fs')
const path = require('node:path')
const { subscribe, unsubscribe } = require('node:diagnostics_channel')
const { guarded } = require('../base/guard')
const { setImmediate, setTimeout } = require('../base/timers')
const { WAITING_PRELOAD, share } = require('../probe/process/process-wide')
const { DEFAULTS: SIGNALS, isUnderNodemon } = require('./signals')

/** @import { Handle } from './handle' */
/** @import { ResolvedOptions } from './options/resolve-options' */

const LONG_ENOUGH_MS = 2000
const COMMAND_LONG_ENOUGH_MS = 60_000

// An application that loads one of these will listen soon. The recorder should run before its first request: V8 has no name for a loop that was
// optimized earlier, in that request and all that follow. Commands of packages (npm, test runners) load them as well, and seldom listen.
const SERVER_MODULES = new Set(['http', 'https', 'http2', 'net'].flatMap(name => [name, `node:${name}`]))
const REQUIRED = 'tracing:module.require:start'
const IMPORTED = 'tracing:module.import:start' // for static imports only the first file
const PUBLISHES_MODULES = Number(process.versions.node.split('.')[0]) >= 22
const PM2_CONTAINER = /^ProcessContainer(Fork)?\.js$/

// In a container these run beside the application with the same variables: the name and the port in them are not theirs.
const COMMAND = /[\\/](?:npm-cli|npx-cli|yarn(?:-\d[\w.-]*)?|pnpm|pnpx|corepack|bin[\\/]loopscope)\.[cm]?js$/

// Node.js publishes the first before a server listens, Fastify the second for each instance.
const LISTENING = 'tracing:net.server.listen:asyncStart'
const FASTIFY = 'fastify.initialization'

/** @throws ERR_LOOPSCOPE_INVALID_OPTION, ERR_LOOPSCOPE_UNKNOWN_OPTION */
function preload () {
  // An invalid variable aborts the start of the process. Without any there is nothing to check, and the options are not loaded.
  const options = hasVariables() ? require('./options/resolve-options').resolveOptions() : null
  const entry = process.argv[1] === undefined ? null : realPath(process.argv[1])
  if (entry !== null && COMMAND.test(entry)) return
  const isOfApplication = entry !== null && startsApplication(entry)
  if ((options !== null && mustStart(options)) || (isOfApplication && !PUBLISHES_MODULES)) {
    begin()
    return
  }
  const waiting = new Waiting(Object.keys(options === null ? SIGNALS : options.signals), isOfApplication)
  waiting.start(entry === null || isOfApplication ? LONG_ENOUGH_MS : COMMAND_LONG_ENOUGH_MS)
}

/**
 * Whether the process was started with a file outside of packages. PM2 starts a file of its own, which loads the application.
 * @param {string} entry
 */
function startsApplication (entry) {
  return PM2_CONTAINER.test(path.basename(entry)) || !isInPackage(entry)
}

/** @param {string} file */
function realPath (file) {
  try {
    return fs.realpathSync(file)
  } catch {
    return file // given without its extension
  }
}

/** @param {string} file  or its URL */
function isInPackage (file) {
  return /[\\/]node_modules[\\/]/.test(file)
}

/**
 * Exact counting wraps functions, which the application may take from their modules while it loads, so it must start first; and an engine that is
 * not installed must abort the start of the process, too.
 * @param {ResolvedOptions} options
 */
function mustStart ({ startAtOnce, syncCalls, recorder }) {
  return startAtOnce || syncCalls !== false || (recorder !== false && !['auto', 'inspector'].includes(recorder.engine))
}

class Waiting {
  #signals
  #isOfApplication
  #isOver = false
  #onRequire = guarded((/** @type {any} */ { id }) => { if (SERVER_MODULES.has(id)) this.begin() })
  #onImport = guarded((/** @type {any} */ { url }) => { if (!isInPackage(String(url))) this.begin() })
  #onListen = guarded(() => this.begin())
  #onFastify = guarded((/** @type {any} */ { fastify }) => this.#observeFastify(fastify))
  #onSignal = guarded((/** @type {NodeJS.Signals} */ signal) => this.begin()?.answerSignal(signal))

  /** @param {string[]} signals @param {boolean} isOfApplication */
  constructor (signals, isOfApplication) {
    this.#isOfApplication = isOfApplication
    this.#signals = signals.filter(signal => signal !== 'SIGUSR2' || !isUnderNodemon())
  }

  /** @param {number} longEnoughMs */
  start (longEnoughMs) {
    share(WAITING_PRELOAD, () => this)
    subscribe(LISTENING, this.#onListen)
    subscribe(FASTIFY, this.#onFastify)
    if (this.#isOfApplication) {
      subscribe(REQUIRED, this.#onRequire)
      subscribe(IMPORTED, this.#onImport)
    }
    for (const signal of this.#signals) this.#listen(signal)
    setTimeout(guarded(() => this.begin()), longEnoughMs).unref()
  }

  /** @returns {Handle | undefined} undefined if it had begun before */
  begin () {
    if (this.#isOver) return undefined
    this.#isOver = true
    const handle = beginLate()
    for (const signal of this.#signals) process.off(signal, this.#onSignal)
    // Not at once: a channel that is publishing would skip its next subscriber.
    setImmediate(guarded(() => {
      unsubscribe(LISTENING, this.#onListen)
      unsubscribe(FASTIFY, this.#onFastify)
      unsubscribe(REQUIRED, this.#onRequire)
      unsubscribe(IMPORTED, this.#onImport)
    })).unref()
    return handle
  }

  /** @param {string} signal */
  #listen (signal) {
    try {
      process.on(signal, this.#onSignal)
    } catch {} // this system does not have the signal
  }

  /** @param {import('../probe/http/adapters/fastify').FastifyLike} instance  published before anything else subscribed */
  #observeFastify (instance) {
    if (this.begin() !== undefined) require('../probe/http/adapters/fastify').observeInstance(instance)
  }
}

function begin () {
  return require('./diagnostics').observeProcess()
}

/**
 * @returns {Handle | undefined} undefined if that failed, for example because the application has set an invalid variable meanwhile
 */
function beginLate () {
  try {
    return begin()
  } catch (error) {
    // Else the application has removed or replaced the files, as tests do.
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'MODULE_NOT_FOUND') reportUnobserved(error)
    return undefined
  }
}

/** @param {unknown} error */
function reportUnobserved (error) {
  const { STANDARD_ERROR, makeLogger } = require('../shared/default-logger')
  makeLogger({ fd: STANDARD_ERROR }).error({ err: error }, `this process is not observed: ${error instanceof Error ? error.message : error}`)
}

function hasVariables () {
  // eslint-disable-next-line no-restricted-properties -- only checks whether any exist
  const { env } = process
  // PM2 unpacks those of its cluster workers later.
  return env.pm2_env !== undefined || Object.keys(env).some(name => name.startsWith('LOOPSCOPE_'))
}

module.exports = { preload, reportUnobserved }
