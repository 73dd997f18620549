'use strict'

// What the system reports about the processes of this host, from /proc where it exists: their user, what they run, where they listen, and
// which belong to the same session.

const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const { attempt } = require('../../base/guard')
const { hasSignal, readStat } = require('../../base/system/process-ids')
const { STATES, TCP_TABLES, parseTcpTable } = require('../../base/system/tcp-table')

const EFFECTIVE = 1 // index of the effective user id, after the real one
const [SESSION, USER_TIME, SYSTEM_TIME] = [3, 11, 12] // of the fields of readStat()
const MS_PER_TICK = 10 // Linux reports 100 ticks per second to user space, whatever its internal rate
const LOOPBACK = ['0100007F', '7F000001'] // in either byte order
const ONLY_IPV6_LOOPBACK = /^0{24}(01000000|00000001)$/ // in either byte order
// Which listener gets a connection to 127.0.0.1, the most specific first.
const LISTENS = [
  { table: 'tcp', addresses: LOOPBACK },
  { table: 'tcp', addresses: ['0'.repeat(8)] },
  { table: 'tcp6', addresses: ['0'.repeat(32)] }
]

/**
 * What a process runs, and how it handles SIGUSR1. Unknown values are null or empty.
 * @typedef {object} RunningProcess
 * @property {string} executable
 * @property {string[]} args
 * @property {NodeJS.ProcessEnv} environment
 * @property {string[]} libraries
 * @property {string[]} threads  their names
 * @property {string | null} state
 * @property {boolean | null} catchesSignal
 * @property {boolean} isInSameNetwork
 */

/**
 * @param {number} pid
 * @returns {{ uids: number[], pidInside: number | null, environment: NodeJS.ProcessEnv }} uids: the users it runs
 *   as, and ran as before it dropped root; pidInside: its pid in its own container
 */
function readProcess (pid) {
  if (!hasProc()) return { uids: showByPs(pid, 'uid').map(Number), pidInside: null, environment: readEnvironment(pid) }
  const status = readStatus(pid)
  const numbers = status.NSpid?.split(/\s+/)
  return {
    uids: [...new Set([status.Uid?.split(/\s+/)[EFFECTIVE], ownerOf(pid)])].flatMap(uid => uid === undefined ? [] : [Number(uid)]),
    pidInside: numbers === undefined ? null : Number(numbers.at(-1)),
    environment: readEnvironment(pid)
  }
}

/** @param {number} pid @returns {string | undefined} */
function ownerOf (pid) {
  return fs.statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid.toString()
}

/** @param {number} pid @returns {Record<string, string | undefined>} */
function readStatus (pid) {
  return Object.fromEntries([...read(`/proc/${pid}/status`).matchAll(/^(\w+):\s*(.*)$/gm)].map(([, name, value]) => [name, value]))
}

/** @param {number} pid @returns {NodeJS.ProcessEnv} as it was when the process started */
function readEnvironment (pid) {
  // ps of macOS appends it to the arguments, for processes of the same user and for root. A value with a space is cut off there.
  if (!hasProc()) return Object.fromEntries(showByPs(pid, 'command', ['-E']).flatMap(line => [...line.matchAll(/(?<=\s)([A-Z_][A-Z0-9_]*)=(\S*)/g)].map(([, name, value]) => [name, value])))
  return Object.fromEntries([...read(`/proc/${pid}/environ`).matchAll(/([^\0=]+)=([^\0]*)/g)].map(([, name, value]) => [name, value]))
}

/** @param {number} pid @returns {RunningProcess | null} null: the system does not show it */
function readRunning (pid) {
  return hasProc() ? readFromProc(pid) : readFromPs(pid)
}

function hasProc () {
  return fs.existsSync('/proc/self/exe')
}

/**
 * @param {number} pid
 * @param {string} column
 * @param {string[]} [flags]
 * @returns {string[]} the line of the process; empty where there is no such process, or no ps
 */
function showByPs (pid, column, flags = []) {
  if (process.platform === 'win32') return [] // a ps of Git or Cygwin counts other processes
  const { stdout } = spawnSync('ps', [...flags, '-ww', '-o', `${column}=`, '-p', String(pid)], { encoding: 'utf8' })
  return stdout?.trim() ? [stdout.trim()] : []
}

/** Whether a signal or a debugger has stopped it; false where that is not known. @param {number} pid */
function isStopped (pid) {
  return /^[Tt]/.test(readStatus(pid).State ?? '')
}

/** @param {number} pid */
function readFromProc (pid) {
  const executable = readLink(`/proc/${pid}/exe`)
  if (executable === null) return null
  const status = readStatus(pid)
  const network = readLink(`/proc/${pid}/ns/net`)
  return {
    executable: executable.replace(/ \(deleted\)$/, ''), // an update replaced it
    args: read(`/proc/${pid}/cmdline`).split('\0').slice(0, -1),
    environment: readEnvironment(pid),
    libraries: [...new Set(read(`/proc/${pid}/maps`).match(/\/.*$/gm))],
    threads: list(`/proc/${pid}/task`).map(thread => read(`/proc/${pid}/task/${thread}/comm`).trim()),
    state: status.State?.[0] ?? null,
    catchesSignal: status.SigCgt === undefined ? null : hasSignal(status.SigCgt, 'SIGUSR1'),
    isInSameNetwork: network === null || network === readLink('/proc/self/ns/net')
  }
}

/** @param {number} pid  where there is no /proc: on macOS, which does not show the handlers either */
function readFromPs (pid) {
  const [[state = ''], [executable], [args = '']] = ['state', 'comm', 'args'].map(column => showByPs(pid, column))
  if (executable === undefined) return null
  return {
    executable,
    args: args.split(/\s+/),
    environment: process.platform === 'darwin' ? readEnvironment(pid) : {},
    libraries: [],
    threads: [],
    state: state[0] ?? null,
    catchesSignal: null,
    isInSameNetwork: true
  }
}

/**
 * @param {number} pid
 * @param {number} port
 * @returns {boolean | null} whether this process is the one that answers at 127.0.0.1:port; null: the system does not show it
 */
function isListenerAt (pid, port) {
  if (!fs.existsSync(TCP_TABLES[0])) return null
  const inode = inodeOfListener(port)
  if (inode === null) return false
  const descriptors = list(`/proc/${pid}/fd`)
  return descriptors.length === 0 ? null : descriptors.some(fd => readLink(`/proc/${pid}/fd/${fd}`) === `socket:[${inode}]`)
}

/** @param {number} port @returns {string | null} */
function inodeOfListener (port) {
  for (const { table, addresses } of LISTENS) {
    const row = listeningSockets('self', table).find(({ local, localPort }) => localPort === port && addresses.includes(local))
    if (row !== undefined) return row.inode
  }
  return null
}

/**
 * @param {number} pid
 * @returns {{ port: number, host: string }[]} host: the address to connect to on this machine; one entry per port
 */
function listListeners (pid) {
  const own = new Set(list(`/proc/${pid}/fd`).map(fd => readLink(`/proc/${pid}/fd/${fd}`)))
  /** @type {Map<number, { port: number, host: string }>} */
  const listeners = new Map()
  for (const { inode, local, localPort: port } of ['tcp', 'tcp6'].flatMap(table => listeningSockets(pid, table))) {
    if (own.has(`socket:[${inode}]`) && !listeners.has(port)) listeners.set(port, { port, host: hostOf(local) })
  }
  return [...listeners.values()]
}

/**
 * @param {number | 'self'} pid  in the network namespace of this process
 * @param {string} table
 */
function listeningSockets (pid, table) {
  return parseTcpTable(read(`/proc/${pid}/net/${table}`)).filter(({ state }) => state === STATES.listening)
}

/**
 * @param {string} address  in hexadecimal, each group of four bytes in the byte order of this machine
 * @returns {string}
 */
function hostOf (address) {
  if (ONLY_IPV6_LOOPBACK.test(address)) return '[::1]'
  if (address.length !== 8 || /^0+$/.test(address)) return '127.0.0.1' // a listener on all IPv6 addresses accepts IPv4, too
  const bytes = [...Buffer.from(address, 'hex')]
  return (isLittleEndian() ? bytes.reverse() : bytes).join('.')
}

function isLittleEndian () {
  return new Uint8Array(Uint16Array.of(1).buffer)[0] === 1
}

/**
 * @param {number} leader  a process that was started as the leader of a session
 * @returns {number[]} the living processes of the session
 */
function listSession (leader) {
  return list('/proc').filter(name => /^\d+$/.test(name)).map(Number).filter(pid => readStat(pid)[SESSION] === String(leader))
}

/**
 * @param {number} pid
 * @returns {number | null} milliseconds since it was started, of all its threads; null: the system does not show it
 */
function processorMs (pid) {
  const stat = readStat(pid)
  return stat.length <= SYSTEM_TIME ? null : (Number(stat[USER_TIME]) + Number(stat[SYSTEM_TIME])) * MS_PER_TICK
}

// A file of /proc may be missing, unreadable for this user, or vanish while it is read.
/** @param {string} file @returns {string | null} */
function readLink (file) {
  return attempt(() => fs.readlinkSync(file), null)
}

/** @param {string} folder @returns {string[]} */
function list (folder) {
  return attempt(() => fs.readdirSync(folder), [])
}

/** @param {string} file */
function read (file) {
  return attempt(() => fs.readFileSync(file, 'utf8'), '')
}

module.exports = { isListenerAt, isStopped, listListeners, listSession, processorMs, read, readFromPs, readProcess, readRunning }
