'use strict'

// A CPU profile of a process that does not have this library: SIGUSR1 has Node open its inspector, which is asked over a
// WebSocket and closed again. While it is open, everybody on this host can connect to it and run code in that process.

const { setTimeout: sleep } = require('node:timers/promises')
const { assertAttachable } = require('./attachable')
const { connectInspector } = require('./inspector-connection')
const { Failure } = require('./failure')
const { assertAlive } = require('./target')

/** @import { CpuProfile } from '../../types/profile' */

const INSPECTOR = 'http://127.0.0.1:9229'
const OPEN_MS = 5000
const POLL_MS = 50
const SAMPLING_MICROS = 10_000 // 100 a second, as the recorder's

/**
 * @param {number} pid
 * @param {{ seconds: number, terminal: import('./terminal').Terminal, signal: AbortSignal }} how
 * @returns {Promise<CpuProfile>}
 */
async function profileByInspector (pid, { seconds, terminal, signal }) {
  assertAlive(pid)
  const wasOpen = await findEndpoint() !== null
  if (!wasOpen) {
    assertAttachable(pid)
    openInspector(pid, terminal)
  }
  const connection = await connectInspector(await waitForEndpoint(pid), signal)
  try {
    await assertIsTarget(connection, pid)
    return await record(connection, { seconds, terminal, signal })
  } finally {
    if (wasOpen) terminal.note('the inspector was open before, and stays open')
    else await closeInspector(connection, terminal)
    connection.close()
  }
}

/**
 * @param {number} pid
 * @param {import('./terminal').Terminal} terminal
 */
function openInspector (pid, terminal) {
  terminal.note(`sending SIGUSR1 to ${pid}: Node opens its inspector on 127.0.0.1:9229. Until this command ends every user of this host can connect to it.`)
  try {
    process.kill(pid, 'SIGUSR1')
  } catch (error) {
    throw new Failure('permission', `The signal could not be sent: ${/** @type {Error} */ (error).message}`, 'Run this as the user of the process, or as root.')
  }
}

/** @returns {Promise<string | null>} where to connect; null while nobody listens */
async function findEndpoint () {
  try {
    const response = await fetch(`${INSPECTOR}/json/list`, { signal: AbortSignal.timeout(OPEN_MS) })
    const [{ webSocketDebuggerUrl }] = /** @type {any} */ (await response.json())
    return webSocketDebuggerUrl ?? null
  } catch {
    return null
  }
}

/** @param {number} pid */
async function waitForEndpoint (pid) {
  for (const startMs = performance.now(); performance.now() - startMs < OPEN_MS; await sleep(POLL_MS)) {
    const endpoint = await findEndpoint()
    if (endpoint !== null) return endpoint
    assertAlive(pid)
  }
  throw new Failure('unreachable', `Process ${pid} opened no inspector on 127.0.0.1:9229.`,
    'It may have a handler of its own for SIGUSR1, which has run instead, or be in a long native call: then it opens the inspector afterwards, and only a restart closes it.')
}

/** @typedef {Awaited<ReturnType<typeof connectInspector>>} Connection */

/**
 * @param {Connection} connection
 * @param {number} pid
 */
async function assertIsTarget (connection, pid) {
  const { result } = await connection.ask('Runtime.evaluate', { expression: 'process.pid', returnByValue: true })
  if (result.value === pid) return
  throw new Failure('unreachable', `127.0.0.1:9229 is the inspector of process ${result.value}, not of ${pid}.`, 'Close that one first: a second process cannot open the same port.')
}

/**
 * @param {Connection} connection
 * @param {{ seconds: number, terminal: import('./terminal').Terminal, signal: AbortSignal }} how
 * @returns {Promise<CpuProfile>}
 */
async function record (connection, { seconds, terminal, signal }) {
  await connection.ask('Profiler.enable')
  await connection.ask('Profiler.setSamplingInterval', { interval: SAMPLING_MICROS })
  await connection.ask('Profiler.start')
  const progress = terminal.progress(`recording ${seconds} s`, seconds)
  try {
    await sleep(seconds * 1e3, undefined, { signal })
    const { profile } = await connection.ask('Profiler.stop')
    return profile
  } finally {
    progress.end()
  }
}

/**
 * @param {Connection} connection
 * @param {import('./terminal').Terminal} terminal
 */
async function closeInspector (connection, terminal) {
  // require is there with the command line API only; modules of the newer kind have getBuiltinModule. Closing waits for the
  // connection to end, so it is asked for a moment later.
  const expression = 'setTimeout(() => (process.getBuiltinModule?.("node:inspector") ?? require("node:inspector")).close(), 50)'
  await connection.ask('Runtime.evaluate', { expression, includeCommandLineAPI: true, silent: true }).catch(() => {})
  connection.close()
  for (const startMs = performance.now(); performance.now() - startMs < OPEN_MS; await sleep(POLL_MS)) {
    if (await findEndpoint() === null) return terminal.note('the inspector is closed again')
  }
  terminal.note('WARNING: the inspector is still open on 127.0.0.1:9229; restart the process to close it')
}

module.exports = { profileByInspector }
