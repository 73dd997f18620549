'use strict'

// A CPU profile of a process that does not have this library: SIGUSR1 has Node open its inspector, which is asked over a
// WebSocket and closed again. While it is open, everybody on this host can connect to it and run code in that process.

const { setTimeout: sleep } = require('node:timers/promises')
const { performance } = require('../../shared/base/timers')
const { assertAttachable, inspectorPort } = require('./attachable')
const { connectInspector } = require('./inspector-connection')
const { Failure } = require('../failure')
const { isListenerAt } = require('../reach/process-facts')
const { assertAlive } = require('../reach/target')

/** @import { CpuProfile } from '../../../types/profile' */

const OPEN_MS = 5000
const POLL_MS = 50
const SAMPLING_MICROS = 10_000 // 100 a second, as the recorder's
const CLOSE_OTHER = 'Close that one first: a second process cannot open the same port.'

/** @typedef {{ pid: number, port: number }} Inspected */
/** @typedef {Awaited<ReturnType<typeof connectInspector>>} Connection */

/**
 * @param {number} pid
 * @param {{ seconds: number, terminal: import('../output/terminal').Terminal, signal: AbortSignal }} how
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
    if (wasOpen) terminal.note('the inspector was open before, and stays open')
    else await closeInspector(connection, inspected, terminal)
    connection.close()
  }
}

/** @param {Inspected} inspected */
async function isOpen ({ pid, port }) {
  return isListenerAt(pid, port) ?? await findEndpoint(port) !== null
}

/**
 * @param {Inspected} inspected
 * @throws {Failure}
 */
async function assertPortIsFree ({ pid, port }) {
  if (await findEndpoint(port) === null) return
  const message = `127.0.0.1:${port} is the inspector of another process, not of ${pid}.`
  throw new Failure('unreachable', message, `${CLOSE_OTHER} No signal was sent.`)
}

/**
 * @param {Inspected} inspected
 * @param {import('../output/terminal').Terminal} terminal
 */
function openInspector ({ pid, port }, terminal) {
  terminal.note(`sending SIGUSR1 to ${pid}: Node opens its inspector on 127.0.0.1:${port}. ` +
    'Until this command ends every user of this host can connect to it.')
  try {
    process.kill(pid, 'SIGUSR1')
  } catch (error) {
    const { message } = /** @type {Error} */ (error)
    throw new Failure('permission', `The signal could not be sent: ${message}`, 'Run this as the user of the process, or as root.')
  }
}

/**
 * @param {number} port
 * @returns {Promise<string | null>} where to connect; null while no inspector listens
 */
async function findEndpoint (port) {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/json/list`, { signal: AbortSignal.timeout(OPEN_MS) })
    const [{ id }] = /** @type {any} */ (await response.json())
    return `ws://127.0.0.1:${port}/${encodeURIComponent(id)}` // not where the answer says it is: that could be anywhere
  } catch {
    return null
  }
}

/**
 * @param {Inspected} inspected
 * @param {AbortSignal} signal
 * @returns {Promise<Connection>}
 * @throws {Failure} where it is another process that answers: nothing is done to that
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
  throw new Failure('unreachable', `Process ${pid} opened no inspector on 127.0.0.1:${port}.`,
    'It may have a handler of its own for SIGUSR1, which has run instead; another program may hold the port; or it is in a long ' +
    'native call: then it opens the inspector afterwards, and only a restart closes it.')
}

/**
 * @param {Connection} connection
 * @param {Inspected} inspected
 */
async function assertSamePid (connection, { pid, port }) {
  const { result } = await connection.ask('Runtime.evaluate', { expression: 'process.pid', returnByValue: true })
  if (result.value === pid) return
  throw new Failure('unreachable', `127.0.0.1:${port} is the inspector of process ${result.value}, not of ${pid}.`, CLOSE_OTHER)
}

/**
 * @param {Connection} connection
 * @param {{ seconds: number, terminal: import('../output/terminal').Terminal, signal: AbortSignal }} how
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

/**
 * @param {Connection} connection
 * @param {Inspected} inspected
 * @param {import('../output/terminal').Terminal} terminal
 */
async function closeInspector (connection, inspected, terminal) {
  // require is there with the command line API only; modules of the newer kind have getBuiltinModule. Closing waits for the
  // connection to end, so it is asked for a moment later.
  const expression = 'setTimeout(() => (process.getBuiltinModule?.("node:inspector") ?? require("node:inspector")).close(), 50)'
  await connection.ask('Runtime.evaluate', { expression, includeCommandLineAPI: true, silent: true }).catch(() => {})
  connection.close()
  for (const startMs = performance.now(); performance.now() - startMs < OPEN_MS; await sleep(POLL_MS)) {
    if (!await isOpen(inspected)) return terminal.note('the inspector is closed again')
  }
  terminal.note(`WARNING: the inspector is still open on 127.0.0.1:${inspected.port}; restart the process to close it`)
}

module.exports = { profileByInspector }
