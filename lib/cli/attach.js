'use strict'

// Records a CPU profile of a process without loopscope: SIGUSR1 makes Node.js open its inspector, which is used over a
// WebSocket and closed again. While it is open, every user of this host can connect to it and run code in that process.

const { once } = require('node:events')
const path = require('node:path')
const { setTimeout: sleep } = require('node:timers/promises')
const { WebSocket } = require('ws')
const { performance } = require('../base/timers')
const { Failure } = require('./failure')
const { isListenerAt, readRunning } = require('./connect/process-facts')
const { assertAlive } = require('./connect/connect')

/** @import { CpuProfile } from '../../types/profile' */
/** @import { Terminal } from './output/terminal' */
/** @import { RunningProcess } from './connect/process-facts' */

const OPEN_MS = 5000
const POLL_MS = 50
const SAMPLING_MICROS = 10_000 // 100 samples per second, like the recorder
const CLOSE_OTHER = 'Close it first: two processes cannot open the same port.'
const MAX_MESSAGE_BYTES = 512 * 1024 * 1024 // profiles of large applications take tens of megabytes

const NODE = /^node(js)?[\d.]*$/
const NODE_LIBRARY = /\/libnode\.(so|\d)/
// Flags that take the next argument: everything before the script is for Node.js.
const WITH_VALUE = new Set(['-r', '--require', '--import', '--loader', '--experimental-loader', '-C', '--conditions'])
const DEFAULT_PORT = 9229
const PORT_FLAG = /^--(?:inspect|debug)(?:-port|-brk|-wait)?=(?:.*:)?(\d+)$/

/** @typedef {{ pid: number, port: number }} Inspected */
/** @typedef {Awaited<ReturnType<typeof connectInspector>>} Connection */

/**
 * @param {number} pid
 * @param {{ seconds: number, terminal: Terminal, signal: AbortSignal }} how
 * @returns {Promise<CpuProfile>}
 */
async function profileByInspector (pid, { seconds, terminal, signal }) {
  assertAlive(pid)
  const inspected = { pid, port: inspectorPort(pid) }
  const wasOpen = await isOpen(inspected)
  if (!wasOpen) {
    assertAttachable(pid)
    await assertPortIsFree(inspected)
    openInspector(inspected, terminal)
  }
  const connection = await connectToTarget(inspected, signal)
  try {
    return await record(connection, { seconds, terminal, signal })
  } finally {
    if (wasOpen) terminal.note('the inspector was already open, and stays open')
    else await closeInspector(connection, inspected, terminal)
    connection.close()
  }
}

/** @param {Inspected} inspected */
async function isOpen ({ pid, port }) {
  return isListenerAt(pid, port) ?? await findEndpoint(port) !== null
}

/** @param {Inspected} inspected @throws {Failure} */
async function assertPortIsFree ({ pid, port }) {
  if (await findEndpoint(port) === null) return
  const message = `127.0.0.1:${port} is the inspector of another process, not of ${pid}.`
  throw new Failure('unreachable', message, `${CLOSE_OTHER} No signal was sent.`)
}

/** @param {Inspected} inspected @param {Terminal} terminal */
function openInspector ({ pid, port }, terminal) {
  terminal.note(`sending SIGUSR1 to ${pid}: Node.js opens its inspector on 127.0.0.1:${port}. ` +
    'Until this command ends, every user of this host can connect to it.')
  try {
    process.kill(pid, 'SIGUSR1')
  } catch (error) {
    const { message } = /** @type {Error} */ (error)
    throw new Failure('permission', `The signal could not be sent: ${message}`, 'Run this as the user of the process, or as root.')
  }
}

/** @param {number} port @returns {Promise<string | null>} where to connect; null while no inspector listens */
async function findEndpoint (port) {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/json/list`, { signal: AbortSignal.timeout(OPEN_MS) })
    const [{ id }] = /** @type {any} */ (await response.json())
    return `ws://127.0.0.1:${port}/${encodeURIComponent(id)}` // not the address in the answer, which could point anywhere
  } catch {
    return null
  }
}

/**
 * @param {Inspected} inspected
 * @param {AbortSignal} signal
 * @returns {Promise<Connection>}
 * @throws {Failure} where another process answers, which is left alone
 */
async function connectToTarget (inspected, signal) {
  const connection = await connectInspector(await waitForEndpoint(inspected), signal)
  try {
    if (isListenerAt(inspected.pid, inspected.port) !== true) await assertSamePid(connection, inspected)
    return connection
  } catch (error) {
    connection.close()
    throw error
  }
}

/** @param {Inspected} inspected */
async function waitForEndpoint (inspected) {
  const { pid, port } = inspected
  for (const startMs = performance.now(); performance.now() - startMs < OPEN_MS; await sleep(POLL_MS)) {
    const endpoint = await isOpen(inspected) ? await findEndpoint(port) : null
    if (endpoint !== null) return endpoint
    assertAlive(pid)
  }
  throw new Failure('unreachable', `Process ${pid} did not open its inspector on 127.0.0.1:${port}.`,
    'It may have its own handler for SIGUSR1, which has run instead; another program may use the port; or the process is in a long ' +
    'native call: then it opens the inspector afterwards, and only a restart closes it.')
}

/** @param {Connection} connection @param {Inspected} inspected */
async function assertSamePid (connection, { pid, port }) {
  const { result } = await connection.ask('Runtime.evaluate', { expression: 'process.pid', returnByValue: true })
  if (result.value === pid) return
  throw new Failure('unreachable', `127.0.0.1:${port} is the inspector of process ${result.value}, not of ${pid}.`, CLOSE_OTHER)
}

/**
 * @param {Connection} connection
 * @param {{ seconds: number, terminal: Terminal, signal: AbortSignal }} how
 * @returns {Promise<CpuProfile>}
 */
async function record (connection, { seconds, terminal, signal }) {
  await connection.ask('Profiler.enable')
  await connection.ask('Profiler.setSamplingInterval', { interval: SAMPLING_MICROS })
  await connection.ask('Profiler.start')
  const progress = terminal.progress(`recording ${seconds} s`, seconds)
  try {
    await sleep(seconds * 1e3, undefined, { signal: AbortSignal.any([signal, connection.lost]) })
    const { profile } = await connection.ask('Profiler.stop')
    return profile
  } catch (error) {
    throw connection.lost.aborted ? connection.lost.reason : error
  } finally {
    progress.end()
  }
}

/** @param {Connection} connection @param {Inspected} inspected @param {Terminal} terminal */
async function closeInspector (connection, inspected, terminal) {
  // require exists only with the command line API, and getBuiltinModule only in newer versions. close() waits for the
  // connection to end, so it is called a moment later.
  const expression = 'setTimeout(() => (process.getBuiltinModule?.("node:inspector") ?? require("node:inspector")).close(), 50)'
  await connection.ask('Runtime.evaluate', { expression, includeCommandLineAPI: true, silent: true }).catch(() => {})
  connection.close()
  for (const startMs = performance.now(); performance.now() - startMs < OPEN_MS; await sleep(POLL_MS)) {
    if (!await isOpen(inspected)) return terminal.note('the inspector is closed')
  }
  terminal.note(`WARNING: the inspector is still open on 127.0.0.1:${inspected.port}; restart the process to close it`)
}

/**
 * Called before SIGUSR1 is sent: the signal ends a process without a handler, and has another meaning where the application has its own.
 * @param {number} pid  of a living process
 * @throws {Failure} with the reason
 */
function assertAttachable (pid) {
  const running = readRunning(pid)
  if (running === null) {
    const message = `The system does not show what process ${pid} runs, so no signal was sent to it.`
    throw new Failure('permission', message, 'Run this as the user of the process, or as root.')
  }
  const reason = reasonAgainst(running)
  if (reason !== null) throw new Failure('notAttachable', `Process ${pid} cannot be attached to: ${reason}`, 'No signal was sent to it.')
}

/**
 * @param {RunningProcess} running
 * @returns {string | null} null: as far as can be seen from outside, its inspector will open. A handler of the application
 *   cannot be distinguished from that of Node.js.
 */
function reasonAgainst (running) {
  const { executable, state, catchesSignal, isInSameNetwork } = running
  if (!isNode(running)) return `it is not Node.js, but ${executable}.`
  const flags = flagsOf(running)
  if (flags.includes('--disable-sigusr1')) return 'it runs with --disable-sigusr1.'
  if (catchesSignal === false) {
    return 'it has no handler for SIGUSR1, so the signal would end it: ' +
      'it was built without the inspector, removed its handler, or has only just started.'
  }
  if (state === 'T' || state === 't') return 'it is stopped.'
  if (!isInSameNetwork) return 'it runs in another network namespace, where its inspector would be out of reach. Run this inside its container.'
  return portOf(running) === 0 ? 'its inspector is set to port 0, which means any free port.' : null
}

/** @param {number} pid @returns {number} where its inspector is, or would open */
function inspectorPort (pid) {
  const running = readRunning(pid)
  return running === null ? DEFAULT_PORT : portOf(running)
}

/** @param {RunningProcess} running */
function portOf (running) {
  return Number(flagsOf(running).flatMap(flag => PORT_FLAG.exec(flag)?.[1] ?? []).at(-1) ?? DEFAULT_PORT)
}

/** @param {RunningProcess} running */
function isNode ({ executable, libraries, threads }) {
  return NODE.test(path.basename(executable)) ||
    libraries.some(library => NODE_LIBRARY.test(library)) ||
    threads.includes('SignalInspector')
}

/** @param {RunningProcess} running */
function flagsOf ({ args, environment }) {
  const end = args.findIndex((arg, index) => index > 0 && !arg.startsWith('-') && !WITH_VALUE.has(args[index - 1]))
  return [...(environment.NODE_OPTIONS ?? '').split(/\s+/), ...args.slice(1, end === -1 ? undefined : end)]
}

/**
 * The Chrome DevTools Protocol over a WebSocket: requests and their answers. Node.js 20 has no WebSocket client of its own.
 * @param {string} url
 * @param {AbortSignal} signal
 */
async function connectInspector (url, signal) {
  const socket = new WebSocket(url, { maxPayload: MAX_MESSAGE_BYTES, perMessageDeflate: false })
  try {
    await once(socket, 'open', { signal })
  } catch (error) {
    socket.terminate()
    throw new Failure('unreachable', `The inspector does not answer: ${/** @type {Error} */ (error).message}`)
  }
  /** @type {Map<number, { resolve: (value: any) => void, reject: (error: Error) => void }>} */
  const waiting = new Map()
  let sequence = 0
  socket.on('message', data => {
    const { id, result, error } = JSON.parse(String(data))
    if (error) waiting.get(id)?.reject(new Failure('failed', `The inspector reported an error: ${error.message}`))
    else waiting.get(id)?.resolve(result)
    waiting.delete(id)
  })
  const lost = new AbortController()
  socket.on('close', () => {
    lost.abort(new Failure('unreachable', 'The process ended or closed its inspector.'))
    for (const { reject } of waiting.values()) reject(lost.signal.reason)
  })
  socket.on('error', () => {}) // 'close' follows

  return {
    /** @param {string} method @param {object} [params] @returns {Promise<any>} */
    ask (method, params = {}) {
      const id = ++sequence
      return new Promise((resolve, reject) => {
        if (lost.signal.aborted) return reject(lost.signal.reason)
        waiting.set(id, { resolve, reject })
        socket.send(JSON.stringify({ id, method, params }), () => {}) // where it fails, 'close' follows
      })
    },
    /** Aborted, with the Failure as the reason, when the connection is lost. */
    lost: lost.signal,
    close: () => socket.close()
  }
}

module.exports = { profileByInspector, reasonAgainst }
