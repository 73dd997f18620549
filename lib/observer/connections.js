'use strict'

// The connections and other open files of this process as the system lists them, in /proc (Linux only), so that they cost the application nothing: how many
// connections it has opened, by port, which is how large the pools of databases are now; whose client has closed them, which the loop only notices when it
// reads from them; and whether open files become more without end.

const fs = require('node:fs')
const { attempt } = require('../base/guard')
const { kindsOfOpenFiles, readOpenFiles } = require('../base/system/process-ids')
const { STATES, TCP_TABLES, parseTcpTable } = require('../base/system/tcp-table')
const { steadyGrowth } = require('./memory/growth')

/** @import { Peer } from '../probe/http/in-flight' */
/** @import { TrendPoint } from '../shared/heap/trend' */

const FOLDER = '/proc/self/fd'
// Reading them takes a millisecond for some hundred.
const MAX_FILES = 5000
const MAX_POINTS = 360 // an hour
const FILES_GROW = Object.freeze({ bytes: 60, share: 0.5, lowestOf: 3 }) // as of memory, but files instead of bytes
const NOTABLE_SHARE = 0.8 // of the limit
const MAX_BYTES = 8e6 // some 50,000 connections: more take too long to search

/** @returns {Record<string, number> | null} by port of the other side; null: not known */
function readOpenConnections () {
  const own = ownSockets()
  if (own === null) return null
  const rows = TCP_TABLES.flatMap(file => parseTcpTable(attempt(() => fs.readFileSync(file, 'latin1'), '')))
  const listening = new Set(rows.filter(({ state }) => state === STATES.listening).map(({ localPort }) => localPort))
  /** @type {Record<string, number>} */
  const found = {}
  for (const { state, localPort, remotePort, inode } of rows) {
    // What came in at a port of a server is a client's.
    if (state === STATES.established && own.has(inode) && !listening.has(localPort)) found[remotePort] = (found[remotePort] ?? 0) + 1
  }
  return found
}

/** @returns {Set<string> | null} inodes */
function ownSockets () {
  try {
    const files = fs.readdirSync(FOLDER)
    if (files.length > MAX_FILES) return null
    return new Set(files.flatMap(file => /^socket:\[(\d+)\]$/.exec(attempt(() => fs.readlinkSync(`${FOLDER}/${file}`), ''))?.[1] ?? []))
  } catch {
    return null
  }
}

/**
 * @typedef {object} OpenFilesState
 * @property {number} open
 * @property {number} limit  of open files, at which opening another one fails
 * @property {{ perMinute: number, grown: number, minutes: number } | null} growing  null: they do not
 * @property {Record<string, number>} kinds  how many of each kind; empty where there are neither many nor more and more
 */

class OpenFiles {
  /** How many there were. @type {TrendPoint[]} */
  #points = []
  /** @type {Pick<OpenFilesState, 'open' | 'limit' | 'kinds'> | null} */
  #last = null
  #folder

  /** @param {string} [folder]  of the system, with an entry for each */
  constructor (folder = FOLDER) {
    this.#folder = folder
  }

  /** One reading. @param {number} atMs */
  note (atMs) {
    this.#last = this.#read()
    if (this.#last !== null) this.#points = [...this.#points, { atMs, bytes: this.#last.open, spaces: {} }].slice(-MAX_POINTS)
  }

  #read () {
    try {
      const { open, limit } = readOpenFiles('self', this.#folder)
      return { open, limit, kinds: open >= limit * NOTABLE_SHARE ? kindsOfOpenFiles(this.#folder) : {} }
    } catch (/** @type {any} */ error) {
      return error.code === 'EMFILE' && this.#last !== null ? { ...this.#last, open: this.#last.limit } : null // none is left to list them
    }
  }

  /** @returns {OpenFilesState | null} null: not known */
  state () {
    const last = this.#last = this.#read()
    const growth = steadyGrowth(this.#points, FILES_GROW)
    if (last === null || growth === null) return last && { ...last, growing: null }
    const isNotable = last.open >= last.limit * NOTABLE_SHARE // then they have just been read
    return { ...last, growing: { perMinute: growth.bytesPerMinute, grown: growth.grownBytes, minutes: growth.minutes }, kinds: isNotable ? last.kinds : kindsOfOpenFiles(this.#folder) }
  }
}

/** @param {Peer[]} peers @returns {Promise<Set<Peer>>} those that are gone, as far as the system tells */
async function goneClients (peers) {
  if (peers.length === 0) return new Set()
  const texts = await Promise.all(TCP_TABLES.map(file => fs.promises.readFile(file, 'latin1').catch(() => '')))
  return findGone(peers, texts.filter(text => text.length <= MAX_BYTES).join(''))
}

/** @param {Peer[]} peers @param {string} table */
function findGone (peers, table) {
  const rows = parseTcpTable(table).filter(({ state }) => state === STATES.closeWait)
  const halfClosed = new Set(rows.map(({ localPort, remotePort, remote }) => `${localPort} ${remotePort} ${remote}`))
  return new Set(peers.filter(({ address, port, localPort }) => {
    // The system has no peer for a connection that was reset.
    return address === '' || formsOf(address).some(form => halfClosed.has(`${localPort} ${port} ${form}`))
  }))
}

/**
 * @param {string} address
 * @returns {string[]} as the system writes it: words of the machine's byte order, of either family
 */
function formsOf (address) {
  const [, ipv4] = /^(?:::ffff:)?(\d+\.\d+\.\d+\.\d+)$/i.exec(address) ?? []
  if (ipv4 === undefined) return [toWords(ipv6Bytes(address))]
  const bytes = ipv4.split('.').map(Number)
  return [toWords(bytes), toWords([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, ...bytes])]
}

/** @param {string} address */
function ipv6Bytes (address) {
  const [before, after] = address.split('%')[0].split('::').map(part => part === '' ? [] : part.split(':'))
  const groups = after === undefined ? before : [...before, ...Array(Math.max(0, 8 - before.length - after.length)).fill('0'), ...after]
  return groups.map(group => Number.parseInt(group, 16)).flatMap(group => [group >> 8, group & 255])
}

/** @param {number[]} bytes */
function toWords (bytes) {
  const words = new Uint32Array(Uint8Array.from(bytes.concat(Array((4 - bytes.length % 4) % 4).fill(0))).buffer)
  return [...words].map(word => word.toString(16).toUpperCase().padStart(8, '0')).join('')
}

module.exports = { NOTABLE_SHARE, OpenFiles, findGone, goneClients, readOpenConnections }
