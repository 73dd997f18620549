'use strict'

// When a process with the preload begins to be observed. The preload reaches every command that a shell or a package manager starts, and
// most of them end before there is anything to see. So nothing is started, and next to nothing loaded, until the process listens, makes
// an instance of Fastify, starts diagnostics of its own, is sent a signal that captures, or has lived for two seconds.

const { subscribe, unsubscribe } = require('node:diagnostics_channel')
const { guarded } = require('../shared/base/guard')
const { setImmediate, setTimeout } = require('../shared/base/timers')
const { WAITING_PRELOAD, share } = require('./process/process-wide')
const { DEFAULTS: SIGNALS, isUnderNodemon } = require('./signals')

/** @import { Handle } from './handle' */
/** @import { ResolvedOptions } from './options/resolve-options' */

const LONG_ENOUGH_MS = 2000

// Node.js publishes the first before a server listens, Fastify the second for each instance.
const LISTENING = 'tracing:net.server.listen:asyncStart'
const FASTIFY = 'fastify.initialization'

/** @throws ERR_LOOPSCOPE_INVALID_OPTION, ERR_LOOPSCOPE_UNKNOWN_OPTION */
function preload () {
  // A variable that is wrong ends the start of the process. Without one there is nothing to check, and the options need not be loaded.
  const options = hasVariables() ? require('./options/resolve-options').resolveOptions() : null
  if (options !== null && mustStart(options)) begin({ mayEndSoon: true })
  else new Waiting(Object.keys(options === null ? SIGNALS : options.signals)).start()
}

/**
 * Exact counting wraps functions, which the application may take from their modules while it is loaded; and an engine that is not installed
 * ends the start of the process as well.
 * @param {ResolvedOptions} options
 */
function mustStart ({ startAtOnce, syncCalls, recorder }) {
  return startAtOnce || syncCalls !== false || (recorder !== false && recorder.engine !== 'inspector')
}

class Waiting {
  #signals
  #isOver = false
  #onListen = guarded(() => this.begin())
  #onFastify = guarded((/** @type {any} */ { fastify }) => this.#observeFastify(fastify))
  #onSignal = guarded((/** @type {NodeJS.Signals} */ signal) => this.begin()?.answerSignal(signal))

  /** @param {string[]} signals */
  constructor (signals) {
    this.#signals = signals.filter(signal => signal !== 'SIGUSR2' || !isUnderNodemon())
  }

  start () {
    share(WAITING_PRELOAD, () => this)
    subscribe(LISTENING, this.#onListen)
    subscribe(FASTIFY, this.#onFastify)
    for (const signal of this.#signals) this.#listen(signal)
    setTimeout(guarded(() => this.begin()), LONG_ENOUGH_MS).unref()
  }

  /** @returns {Handle | undefined} undefined where it had begun before */
  begin () {
    if (this.#isOver) return undefined
    this.#isOver = true
    const handle = beginLate()
    for (const signal of this.#signals) process.off(signal, this.#onSignal)
    // Not at once: a channel that is publishing would pass over its next subscriber.
    setImmediate(guarded(() => {
      unsubscribe(LISTENING, this.#onListen)
      unsubscribe(FASTIFY, this.#onFastify)
    })).unref()
    return handle
  }

  /** @param {string} signal */
  #listen (signal) {
    try {
      process.on(signal, this.#onSignal)
    } catch {} // this system does not have it
  }

  /** @param {import('./http/adapters/fastify').FastifyLike} instance  which was announced before anybody else listened */
  #observeFastify (instance) {
    if (this.begin() !== undefined) require('./http/adapters/fastify').observeInstance(instance)
  }
}

/** @param {{ mayEndSoon: boolean }} how */
function begin (how) {
  return require('./diagnostics').observeProcess(how)
}

/** @returns {Handle | undefined} undefined where it could not, as where a variable that the application has set meanwhile is wrong */
function beginLate () {
  try {
    return begin({ mayEndSoon: false })
  } catch (error) {
    const { code, message } = /** @type {NodeJS.ErrnoException} */ (error)
    if (code === 'MODULE_NOT_FOUND') return undefined // the application has taken the files away, or put others in their place, as tests do
    const { STANDARD_ERROR, makeLogger } = require('../shared/default-logger')
    makeLogger({ fd: STANDARD_ERROR }).error({ err: error }, `this process is not observed: ${message}`)
    return undefined
  }
}

function hasVariables () {
  // eslint-disable-next-line no-restricted-properties -- only whether there are any
  const { env } = process
  // PM2 unpacks those of a worker of its cluster later.
  return env.pm2_env !== undefined || Object.keys(env).some(name => name.startsWith('LOOPSCOPE_'))
}

module.exports = { preload }
