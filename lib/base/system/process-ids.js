'use strict'

// Facts about a process by its id: whether it lives, since when, in which namespace the id is valid, which signals it handles, and which files it has open;
// and the id of a thread.

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

const MAX_FILES = 5000 // reading a link takes a few microseconds
/** What the link of a file begins with, by its kind. */
const FILE_KINDS = Object.freeze(/** @type {[RegExp, string][]} */ ([[/^socket:/, 'sockets'], [/^pipe:/, 'pipes'], [/inotify/, 'watchers'], [/^anon_inode:\[?event/, 'event loops'], [/^\//, 'files']]))

/**
 * How many files, sockets and pipes a process has open, and how many it may have.
 * @param {number | 'self'} pid
 * @param {string} [folder]  of the system, with an entry for each
 * @returns {{ open: number, limit: number }}
 * @throws where the system does not show them, or this process has no file left to list them
 */
function readOpenFiles (pid, folder = `/proc/${pid}/fd`) {
  const open = fs.readdirSync(folder).length
  const limit = Number(/^Max open files\s+(\d+)/m.exec(fs.readFileSync(`/proc/${pid}/limits`, 'latin1'))?.[1] ?? Infinity)
  return { open, limit }
}

/**
 * @param {string} folder  as above
 * @returns {Record<string, number>} how many are open, by their kind: of many files those that were opened last
 */
function kindsOfOpenFiles (folder) {
  /** @type {Record<string, number>} */
  const kinds = {}
  for (const file of attempt(() => fs.readdirSync(folder), []).slice(-MAX_FILES)) {
    const link = attempt(() => fs.readlinkSync(`${folder}/${file}`), '')
    const [, kind = 'others'] = FILE_KINDS.find(([begins]) => begins.test(link)) ?? []
    if (link !== '') kinds[kind] = (kinds[kind] ?? 0) + 1
  }
  return kinds
}

module.exports = { isAlive, kindsOfOpenFiles, namespaceOf, ownNamespace, processStart, readOpenFiles, readStat, threadPidHere, hasSignal }
