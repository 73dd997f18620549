'use strict'

// The observer's part of the inspector engine: the only inspector session of the process with the main thread. It receives every window that
// the main thread ends, and can make the main thread end one now, even while that is busy.
//
// It is opened early and stays open as long as possible: disconnecting clears V8's heap object ids, and connecting in the middle of a stall
// would be too late (a cold profiler yields only its first two samples).

const { errors } = require('../../base/errors')
const { guarded } = require('../../base/guard')
const { OWN_FOLDER } = require('../../base/own-files')

/** @import { Session } from 'node:inspector' */
/** @import { Trace } from '../../../types/diagnostics' */
/** @import { CpuProfile } from '../../../types/profile' */
/** @import { BlockedStack } from '../../probe/blocked-stack' */
/** @import { InFlightReading } from '../../probe/http/in-flight' */
/** @import { Handler } from '../labels/function-routes' */
/** @import { DebuggerStatus } from './debugger-detector' */

const MICROS_PER_SECOND = 1e6
const SOURCE = `${OWN_FOLDER}observer/recorder/inspector-session.js` // with this name it counts as a frame of loopscope's in profiles

const NO_FRAME = '0.0.0' // a call frame that does not exist
const NOT_PAUSED = /while paused/ // matches V8's error message, the same in Node 20 to 26
const HANDLERS_GROUP = 'loopscope-handlers' // the object group of handlers, released when their positions are read

// V8 has an arrow function from its first character on, others from their parameters on.
const ARROW = /^(?:async\s*)?(?:\(|[\w$]+\s*=>)/

/** @typedef {(method: string, params: object) => Promise<any>} Post  to the inspector of the main thread */

class InspectorSession {
  #options
  /** @type {Session | undefined} */
  #session

  /**
   * @param {object} options
   * @param {number} options.hz
   * @param {boolean} [options.isMainThread]  whether the observed thread is the main thread, the only one that a session reaches
   * @param {boolean} [options.isInspectorForbidden]  if so, connectToMainThread() aborts the process on Node 20 to 26
   * @param {boolean} options.windowsBySession  whether this session receives windows at all
   * @param {string} options.titlePrefix   prefix of this process's window titles: every other session receives all windows
   * @param {string} options.interruptExpression  evaluates to the function that the interrupt calls
   * @param {(window: CpuProfile) => void} options.onWindow
   * @param {() => void} [options.onDisconnectAwaited]  the main thread is ending and waits for this session to close
   * @param {() => unknown} [options.onDebuggerAwaited]    the main thread waits in inspector.waitForDebugger()
   */
  constructor (options) {
    this.#options = options
  }

  /** @returns {Promise<void>} rejects when the inspector is compiled out or forbidden */
  async open () {
    if (this.#options.isMainThread === false) throw new Error('this is not the main thread')
    if (this.#options.isInspectorForbidden) {
      throw new Error('Node.js forbids the inspector here (the permission model, or the runner of node --test)')
    }
    const { Session } = require('node:inspector')
    const session = new Session()
    session.connectToMainThread()
    this.#session = session
    session.on('NodeRuntime.waitingForDisconnect', guarded(() => this.#options.onDisconnectAwaited?.()))
    session.on('NodeRuntime.waitingForDebugger', guarded(() => this.#options.onDebuggerAwaited?.()))
    // A Node.js version without one of these does not wait for it either.
    await post(session, 'NodeRuntime.enable').catch(() => {})
    await post(session, 'NodeRuntime.notifyWhenWaitingForDisconnect', { enabled: true }).catch(() => {})
    if (!this.#options.windowsBySession) return
    session.on('Profiler.consoleProfileFinished', guarded(({ params }) => {
      if (!params.title?.startsWith(this.#options.titlePrefix)) return
      this.#options.onWindow(/** @type {CpuProfile} */ (params.profile))
    }))
    await post(session, 'Profiler.enable')
    await post(session, 'Profiler.setSamplingInterval', { interval: Math.round(MICROS_PER_SECOND / this.#options.hz) })
  }

  /**
   * Interrupts the main thread, whatever it does: at once if it runs JavaScript or is idle, otherwise when its current native call
   * returns.
   * @param {{ rotate: boolean, seen?: DebuggerStatus }} options
   *   rotate: end the window, otherwise only note the route; seen: the debugger's current status
   * @returns {Promise<{ route: string | null, trace: Trace | null, stack: BlockedStack } | undefined>} what the main thread was doing
   */
  async interrupt ({ rotate, seen }) {
    if (this.#session === undefined) return undefined
    const expression = `${this.#options.interruptExpression}(${rotate}, ${JSON.stringify(seen)})\n//# sourceURL=${SOURCE}`
    const reply = await post(this.#session, 'Runtime.evaluate', { expression, returnByValue: true, silent: true })
    return reply?.result?.value
  }

  /** Makes the main thread note its request and its stack, for the labels of samples. */
  probeStack () {
    return this.#call('probeStack')
  }

  /** @returns {Promise<InFlightReading & { stack: BlockedStack }>} the requests under way, and what runs; rejects when there is no session */
  async readInFlight () {
    const { result } = await this.post('Runtime.evaluate', { expression: this.#callOf('inFlight'), returnByValue: true, silent: true })
    return JSON.parse(result.value)
  }

  /** @returns {Promise<Handler[]>} the handlers of new routes */
  readHandlers () {
    return readHandlers((method, params) => this.post(method, params), this.#callOf('takeHandlers'))
  }

  /**
   * Makes the main thread start the recorder, whatever it does: a message would reach it only at the loop's next turn.
   */
  startRecording () {
    return this.#call('startRecording')
  }

  /** Makes the main thread do what it does when it waits in inspector.waitForDebugger() because of this session. */
  endDebuggerWait () {
    return this.#call('endDebuggerWait')
  }

  /** @param {string} name  of a method of the function that the interrupt calls */
  async #call (name) {
    await this.post('Runtime.evaluate', { expression: this.#callOf(name), silent: true })
  }

  /** @param {string} name */
  #callOf (name) {
    return `${this.#options.interruptExpression}.${name}()\n//# sourceURL=${SOURCE}`
  }

  /**
   * Whether a debugger has paused the main thread. It answers when the main thread can be interrupted.
   * @returns {Promise<boolean>}
   */
  async isPaused () {
    if (this.#session === undefined) return false
    // Evaluates nothing: there is no such frame. Unlike the rest of its domain, this command works without being enabled, which would cost
    // the main thread an event for each script.
    const answer = post(this.#session, 'Debugger.evaluateOnCallFrame', { callFrameId: NO_FRAME, expression: '0' })
    return answer.then(() => true, error => error.code === 'ERR_INSPECTOR_COMMAND' && !NOT_PAUSED.test(error.message))
  }

  /**
   * @param {string} method
   * @param {object} [params]
   * @returns {Promise<any>}
   * @throws ERR_LOOPSCOPE_INSPECTOR_UNAVAILABLE
   */
  async post (method, params) {
    if (this.#session === undefined) throw new errors.ERR_LOOPSCOPE_INSPECTOR_UNAVAILABLE(method)
    return post(this.#session, method, params)
  }

  /**
   * Listens for an event of the inspector, until the session is closed.
   * @param {string} event
   * @param {(message: { params: any }) => void} listener
   * @returns {() => void} removes the listener
   */
  listen (event, listener) {
    const session = this.#session
    const heard = guarded(listener)
    session?.on(event, heard)
    return () => session?.off(event, heard)
  }

  close () {
    this.#session?.disconnect()
    this.#session = undefined
  }
}

/** @param {Session} session @param {string} method @param {object} [params] @returns {Promise<any>} */
function post (session, method, params) {
  return new Promise((resolve, reject) => {
    session.post(method, params, (error, reply) => error ? reject(error) : resolve(reply))
  })
}

/**
 * Finds where the handlers of routes begin: the main thread returns the functions, and V8 has their positions. This happens once per
 * route.
 * @param {Post} send
 * @param {string} expression  evaluates to an array: a route, its functions, another route …
 * @returns {Promise<Handler[]>} rejects when there is no session
 */
async function readHandlers (send, expression) {
  const { result: { objectId } } = await send('Runtime.evaluate', { expression, objectGroup: HANDLERS_GROUP, silent: true })
  try {
    const { result: elements } = await send('Runtime.getProperties', { objectId, ownProperties: true })
    /** @type {Handler[]} */
    const found = []
    let route = ''
    for (const { name, value } of elements) {
      if (!/^\d+$/.test(name)) continue
      if (value.type === 'string') route = value.value
      else found.push(...await locate(send, value, route))
    }
    return found
  } finally {
    await send('Runtime.releaseObjectGroup', { objectGroup: HANDLERS_GROUP })
  }
}

/**
 * @param {Post} send
 * @param {{ objectId: string, description?: string }} handler
 * @param {string} route
 * @returns {Promise<Handler[]>} empty for builtin functions
 */
async function locate (send, { objectId, description = '' }, route) {
  const { internalProperties = [] } = await send('Runtime.getProperties', { objectId, ownProperties: true })
  const valueOf = (/** @type {string} */ wanted) => internalProperties.find((/** @type {{ name: string }} */ { name }) => name === wanted)?.value
  const bound = valueOf('[[TargetFunction]]') // Fastify binds its handlers
  if (bound?.objectId !== undefined) return locate(send, bound, route)
  const location = valueOf('[[FunctionLocation]]')?.value
  return location === undefined ? [] : [{ ...location, ...endOf(location, description), route }]
}

/**
 * @param {{ lineNumber: number, columnNumber: number }} location  of the parameters of a function
 * @param {string} text  of all of it
 * @returns {{ endLine: number, endColumn: number }} from 0, behind its last character
 */
function endOf ({ lineNumber, columnNumber }, text) {
  const lines = text.slice(ARROW.test(text) ? 0 : Math.max(0, text.indexOf('('))).split('\n')
  const lastLength = lines[lines.length - 1].length
  return { endLine: lineNumber + lines.length - 1, endColumn: lines.length === 1 ? columnNumber + lastLength : lastLength }
}

module.exports = { InspectorSession, readHandlers }
