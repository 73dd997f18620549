'use strict'

// The connections of this process as the system lists them, in /proc (Linux only), so that they cost the application nothing: how many it has opened,
// by port, which is how large the pools of databases are now; and whose client has closed them, which the loop only notices when it reads from them.

const fs = require('node:fs')
const { attempt } = require('../base/guard')
const { STATES, TCP_TABLES, parseTcpTable } = require('../base/system/tcp-table')

/** @import { Peer } from '../probe/http/in-flight' */

const FOLDER = '/proc/self/fd'
// Reading them takes a millisecond for some hundred.
const MAX_FILES = 5000
const MAX_BYTES = 8e6 // some 50,000 connections: more take too long to search

/**
 * @returns {Record<string, number> | null} by port of the other side; null: not known
 */
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
 * @param {Peer[]} peers
 * @returns {Promise<Set<Peer>>} those that are gone, as far as the system tells
 */
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

module.exports = { findGone, goneClients, readOpenConnections }
