'use strict'

// What the system tells about a process of this host, read from /proc where there is one.

const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const { list, read, readLink } = require('./proc-files')
const { hasSignal } = require('../../shared/system/signal-mask')

const EFFECTIVE = 1 // of the ids that the system keeps, after the real one

/**
 * @param {number} pid
 * @returns {{ uids: number[], pidInside: number | null, environment: NodeJS.ProcessEnv }} uids: who it runs as, and
 *   who it ran as before it gave up being root; pidInside: what it is called in its own container
 */
function readProcess (pid) {
  const status = readStatus(pid)
  const numbers = status.NSpid?.split(/\s+/)
  return {
    uids: [...new Set([status.Uid?.split(/\s+/)[EFFECTIVE], ownerOf(pid)])].flatMap(uid => uid === undefined ? [] : [Number(uid)]),
    pidInside: numbers === undefined ? null : Number(numbers.at(-1)),
    environment: readEnvironment(pid)
  }
}

/**
 * @param {number} pid
 * @returns {string | undefined}
 */
function ownerOf (pid) {
  return fs.statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid.toString()
}

/**
 * @param {number} pid
 * @returns {Record<string, string | undefined>}
 */
function readStatus (pid) {
  return Object.fromEntries([...read(`/proc/${pid}/status`).matchAll(/^(\w+):\s*(.*)$/gm)].map(([, name, value]) => [name, value]))
}

/**
 * @param {number} pid
 * @returns {NodeJS.ProcessEnv} as it was when the process started
 */
function readEnvironment (pid) {
  return Object.fromEntries([...read(`/proc/${pid}/environ`).matchAll(/([^\0=]+)=([^\0]*)/g)].map(([, name, value]) => [name, value]))
}

/**
 * What a process runs, and how it takes SIGUSR1. What cannot be known is null or empty.
 * @typedef {object} RunningProcess
 * @property {string} executable
 * @property {string[]} args
 * @property {NodeJS.ProcessEnv} environment
 * @property {string[]} libraries
 * @property {string[]} threads  their names
 * @property {string | null} state
 * @property {boolean | null} catchesSignal
 * @property {boolean} isInOurNetwork
 */

/**
 * @param {number} pid
 * @returns {RunningProcess | null} null: the system does not tell
 */
function readRunning (pid) {
  return fs.existsSync('/proc/self/exe') ? readFromProc(pid) : readFromPs(pid)
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
    isInOurNetwork: network === null || network === readLink('/proc/self/ns/net')
  }
}

const LOOPBACK = ['0100007F', '7F000001'] // as a number of this machine, whichever way round that is
// Who gets a connection to 127.0.0.1, the most exact first.
const LISTENS = [
  { table: 'tcp', addresses: LOOPBACK },
  { table: 'tcp', addresses: ['0'.repeat(8)] },
  { table: 'tcp6', addresses: ['0'.repeat(32)] }
]
const STATE_LISTEN = '0A'

/**
 * @param {number} pid
 * @param {number} port
 * @returns {boolean | null} whether it is this process that answers at 127.0.0.1:port; null: the system does not tell
 */
function isListenerAt (pid, port) {
  if (!fs.existsSync('/proc/self/net/tcp')) return null
  const inode = inodeOfListener(port)
  if (inode === null) return false
  const descriptors = list(`/proc/${pid}/fd`)
  return descriptors.length === 0 ? null : descriptors.some(fd => readLink(`/proc/${pid}/fd/${fd}`) === `socket:[${inode}]`)
}

/**
 * @param {number} port
 * @returns {string | null}
 */
function inodeOfListener (port) {
  const number = port.toString(16).toUpperCase().padStart(4, '0')
  for (const { table, addresses } of LISTENS) {
    const rows = read(`/proc/self/net/${table}`).split('\n').map(row => row.trim().split(/\s+/))
    const row = rows.find(([, local, , state]) => state === STATE_LISTEN && addresses.some(address => local === `${address}:${number}`))
    if (row !== undefined) return row[9]
  }
  return null
}

/** @param {number} pid  where there is no /proc: on macOS, which does not show the handlers either */
function readFromPs (pid) {
  const read = (/** @type {string} */ column) =>
    spawnSync('ps', ['-ww', '-o', `${column}=`, '-p', String(pid)], { encoding: 'utf8' }).stdout?.trim()
  const [state, executable, args] = ['state', 'comm', 'args'].map(read)
  if (!executable) return null
  return {
    executable,
    args: args.split(/\s+/),
    environment: {},
    libraries: [],
    threads: [],
    state: state[0] ?? null,
    catchesSignal: null,
    isInOurNetwork: true
  }
}

module.exports = { isListenerAt, readFromPs, readProcess, readRunning }
