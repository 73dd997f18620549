'use strict'

// The observer's side of the inspector engine: the process's one inspector session with the main thread. It receives every window that the
// main thread ends and can have the main thread end one now, even in the middle of its work.
//
// It is opened early and stays open as long as it can: disconnecting clears V8's heap object ids, and connecting in the middle of a stall
// would be too late (the first two samples of a cold profiler are all it yields).

const { errors } = require('../../base/errors')
const { guarded } = require('../../base/guard')
const { OWN_FOLDER } = require('../../base/own-files')

/** @import { Session } from 'node:inspector' */
/** @import { Trace } from '../../../types/diagnostics' */
/** @import { CpuProfile } from '../../../types/profile' */
/** @import { BlockedStack } from '../../probe/blocked-stack' */
/** @import { Handler } from '../labels/knowledge' */
/** @import { DebuggerStatus } from './debugger-detector' */

const MICROS_PER_SECOND = 1e6
const SOURCE = `${OWN_FOLDER}observer/recorder/inspector-session.js` // the name makes it a frame of ours in profiles

const NO_FRAME = '0.0.0' // of no context
const NOT_PAUSED = /while paused/ // of V8's error, the same in Node 20 to 26
const HANDLERS_GROUP = 'loopscope-handlers' // of objects, until their places are read

/** @typedef {(method: string, params: object) => Promise<any>} Post  to the inspector of the main thread */

class InspectorSession {
  #options
  /** @type {Session | undefined} */
  #session

  /**
   * @param {object} options
   * @param {number} options.hz
   * @param {boolean} [options.isMainThread]  whether it is the main thread that is observed, the only one that can be reached
   * @param {boolean} [options.isInspectorForbidden]  where it is, Node 20 to 26 abort the process in connectToMainThread()
   * @param {boolean} options.windowsBySession  whether this session is to receive windows at all
   * @param {string} options.titlePrefix   of this process's windows: titles are shared with every other session
   * @param {string} options.interruptExpression  names the function that the interrupt calls
   * @param {(window: CpuProfile) => void} options.onWindow
   * @param {() => void} [options.onDisconnectAwaited]  the main thread ends, and waits for this session to go
   * @param {() => unknown} [options.onDebuggerAwaited]    the main thread stands in inspector.waitForDebugger()
   */
  constructor (options) {
    this.#options = options
  }

  /**
   * @returns {Promise<void>} rejects when the inspector is compiled out or forbidden
   */
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
    // A Node that does not know one of them does not wait either.
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
   * Interrupts the main thread, in the middle of whatever it does: at once where it is in JavaScript or idle, else when the native call
   * that it is in returns.
   * @param {{ rotate: boolean, seen?: DebuggerStatus }} options
   *   rotate: end the window, or else only note the route; seen: of a debugger, just now
   * @returns {Promise<{ route: string | null, trace: Trace | null, stack: BlockedStack } | undefined>} what the main thread was at
   */
  async interrupt ({ rotate, seen }) {
    if (this.#session === undefined) return undefined
    const expression = `${this.#options.interruptExpression}(${rotate}, ${JSON.stringify(seen)})\n//# sourceURL=${SOURCE}`
    const reply = await post(this.#session, 'Runtime.evaluate', { expression, returnByValue: true, silent: true })
    return reply?.result?.value
  }

  /** Has the main thread note what it works for and where it is, for the labels of samples. */
  look () {
    return this.#call('look')
  }

  /** @returns {Promise<Handler[]>} of the routes that are new */
  readHandlers () {
    return readHandlers((method, params) => this.post(method, params), this.#callOf('takeHandlers'))
  }

  /**
   * Has the main thread start the recorder, in the middle of whatever it does: a message would reach it only with the loop's next turn.
   */
  startRecording () {
    return this.#call('startRecording')
  }

  /**
   * Has the main thread do what it does when it stands in inspector.waitForDebugger() because of this session.
   */
  endDebuggerWait () {
    return this.#call('endDebuggerWait')
  }

  /** @param {string} name  of what the function that the interrupt calls has besides */
  async #call (name) {
    await this.post('Runtime.evaluate', { expression: this.#callOf(name), silent: true })
  }

  /** @param {string} name */
  #callOf (name) {
    return `${this.#options.interruptExpression}.${name}()\n//# sourceURL=${SOURCE}`
  }

  /**
   * Whether the main thread stands in a pause of a debugger. It answers when the main thread can be interrupted.
   * @returns {Promise<boolean>}
   */
  async isPaused () {
    if (this.#session === undefined) return false
    // Evaluates nothing: there is no such frame. Unlike the rest of its domain it need not be enabled, which would cost the main
    // thread an event for each script.
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
   * Of its own accord the inspector says this, until the session is closed.
   * @param {string} event
   * @param {(message: { params: any }) => void} listener
   * @returns {() => void} ends it
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

/**
 * @param {Session} session
 * @param {string} method
 * @param {object} [params]
 * @returns {Promise<any>}
 */
function post (session, method, params) {
  return new Promise((resolve, reject) => {
    session.post(method, params, (error, reply) => error ? reject(error) : resolve(reply))
  })
}

/**
 * Where the functions begin that answer routes: the main thread hands them over as what they are, and V8 has their places. It is done once a
 * route.
 * @param {Post} send
 * @param {string} expression  yields an array: a route, its functions, another route …
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
      else found.push(...await locate(send, value.objectId, route))
    }
    return found
  } finally {
    await send('Runtime.releaseObjectGroup', { objectGroup: HANDLERS_GROUP })
  }
}

/**
 * @param {Post} send
 * @param {string} objectId
 * @param {string} route
 * @returns {Promise<Handler[]>} none for what is built in or bound
 */
async function locate (send, objectId, route) {
  const { internalProperties = [] } = await send('Runtime.getProperties', { objectId, ownProperties: true })
  const location = internalProperties.find((/** @type {{ name: string }} */ { name }) => name === '[[FunctionLocation]]')?.value?.value
  return location === undefined ? [] : [{ ...location, route }]
}

module.exports = { InspectorSession }
