'use strict'

// Ends what a test file started when the file has ended, and the file itself when it hangs.
// Node's runner starts each file as a process of its own; here that process leads a session, and all of the session is ended.

const { subscribe } = require('node:diagnostics_channel')
const os = require('node:os')
const { setTimeout: sleep } = require('node:timers/promises')
const { listSession, read } = require('../../lib/cli/connect/process-facts')

// A process that was killed needs a moment to be gone.
const GRACE_MS = 2000
const POLL_MS = 20

/** @typedef {{ file: string, why: string }} Fault */
/** @typedef {{ files: Set<string>, limitMs: number, ended: Promise<void>[], faults: Fault[] }} Run */

/** @type {Run | null} */
let current = null

/** The leaders of the sessions. @type {Set<number>} */
const running = new Set()

// On Windows each would open a window, and there are no sessions.
if (process.platform !== 'win32') {
  subscribe('child_process', message => {
    const { process: child } = /** @type {any} */ (message)
    const { spawn } = child
    child.spawn = (/** @type {{ args: string[] }} */ options) => {
      const file = options.args.find(arg => current?.files.has(arg))
      const result = spawn.call(child, file === undefined ? options : { ...options, detached: true })
      if (current !== null && file !== undefined && child.pid !== undefined) watch(child, file, current)
      return result
    }
  })
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
    // Ctrl-C reaches the session of the terminal only, which is not theirs.
    process.once(signal, () => {
      for (const leader of running) endSession(leader)
      process.exit(128 + os.constants.signals[signal])
    })
  }
}

/**
 * @param {import('node:child_process').ChildProcess} child
 * @param {string} file
 * @param {Run} run
 */
function watch (child, file, { limitMs, ended, faults }) {
  const leader = Number(child.pid)
  running.add(leader)
  const limit = setTimeout(() => {
    faults.push({ file, why: `did not end within ${limitMs / 1000} s` })
    endSession(leader)
  }, limitMs)
  ended.push(new Promise(resolve => child.once('exit', async () => {
    clearTimeout(limit)
    for (const deadline = Date.now() + GRACE_MS; commandsOf(leader).length > 0 && Date.now() < deadline;) await sleep(POLL_MS)
    for (const command of commandsOf(leader)) faults.push({ file, why: `left a process running: ${command}` })
    endSession(leader)
    running.delete(leader)
    resolve()
  })))
}

/**
 * @param {number} leader
 * @returns {string[]} the commands of its session that run; none where there is no /proc
 */
function commandsOf (leader) {
  // That of a process that has ended, and which nobody has waited for, is empty.
  return listSession(leader).map(pid => read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim()).filter(command => command !== '')
}

/** @param {number} leader */
function endSession (leader) {
  // The process group first, for systems without /proc.
  for (const pid of [-leader, ...listSession(leader)]) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {} // it has ended
  }
}

/**
 * @param {string[]} files
 * @param {number} limitMs  for each file
 * @param {() => Promise<void>} run  starts them with Node's runner
 * @returns {Promise<Fault[]>} when nothing that they started runs any more
 */
async function endProcesses (files, limitMs, run) {
  const mine = current = { files: new Set(files), limitMs, ended: [], faults: [] }
  await run()
  await Promise.all(mine.ended)
  return mine.faults
}

module.exports = { endProcesses }
