'use strict'

// Facts about a process by its id: whether it lives, since when, in which namespace the id is valid, and which signals it handles; and the id of a thread.

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { isMainThread } = require('node:worker_threads')
const { attempt } = require('../guard')

const [FNV_OFFSET, FNV_PRIME] = [0x811c9dc5, 0x01000193] // FNV-1a of 32 bits
const START_TIME = 19 // starttime, of the fields of readStat()

/** Whether there is a process with this id, of any user. @param {number} pid */
function isAlive (pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: it is there and belongs to another user.
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM'
  }
}

/**
 * When a process was started, as its system counts it: the number of a process is given to another one later.
 * @param {number} pid
 * @returns {string} '0' where there is no /proc
 */
function processStart (pid) {
  return readStat(pid)[START_TIME] ?? '0'
}

/**
 * @param {number} pid
 * @returns {string[]} the fields of proc_pid_stat(5) from the state on, which follows the name in brackets; empty where the system does not show them
 */
function readStat (pid) {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'latin1')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return []
  }
}

/**
 * The pid namespace of a process: two containers have processes with the same ids. The number is unique on the host.
 * @param {number | 'self'} pid
 * @returns {string | null} null: unknown
 */
function namespaceOf (pid) {
  return attempt(() => fs.readlinkSync(`/proc/${pid}/ns/pid`).replace(/\D/g, ''), null)
}

/**
 * That of this process; where there is no /proc, a hash of the name of the host, which is part of the path of a socket and may be long.
 * @param {string} [host]
 */
function ownNamespace (host = os.hostname()) {
  const hashOf = (/** @type {string} */ text) => Buffer.from(text).reduce((hash, byte) => Math.imul(hash ^ byte, FNV_PRIME) >>> 0, FNV_OFFSET)
  return namespaceOf('self') ?? `h${hashOf(host).toString(36)}`
}

/** The system's id of the current thread; null if unknown. @returns {number | null} */
function threadPidHere () {
  if (isMainThread) return process.pid
  return attempt(() => Number(path.basename(fs.readlinkSync('/proc/thread-self'))), null) // <pid>/task/<thread>; null: not Linux, or the permission model
}

/**
 * Of a set of signals in /proc/<pid>/status on Linux, such as SigCgt.
 * @param {string} mask  hexadecimal, as it stands there
 * @param {NodeJS.Signals} signal
 * @returns {boolean}
 * @throws SyntaxError if it is not a number
 */
function hasSignal (mask, signal) {
  return (BigInt(`0x${mask}`) >> BigInt(os.constants.signals[signal] - 1) & 1n) === 1n
}

module.exports = { isAlive, namespaceOf, ownNamespace, processStart, readStat, threadPidHere, hasSignal }
