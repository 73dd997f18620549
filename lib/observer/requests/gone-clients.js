'use strict'

// Finds the connections whose client has closed them while the loop is blocked: only the system knows, until the loop reads from the connection.
// Linux lists the connections of the process's network in /proc.

const { readFile } = require('node:fs/promises')

/** @import { Peer } from '../../probe/http/in-flight' */

const FILES = Object.freeze(['/proc/self/net/tcp', '/proc/self/net/tcp6'])
const CLOSE_WAIT = '08'
const MAX_BYTES = 8e6 // some 50,000 connections: more take too long to search

/**
 * @param {Peer[]} peers
 * @returns {Promise<Set<Peer>>} those that are gone, as far as the system tells
 */
async function goneClients (peers) {
  if (peers.length === 0) return new Set()
  const texts = await Promise.all(FILES.map(file => readFile(file, 'latin1').catch(() => '')))
  return findGone(peers, texts.filter(text => text.length <= MAX_BYTES).join(''))
}

/**
 * @param {Peer[]} peers
 * @param {string} table
 */
function findGone (peers, table) {
  const halfClosed = new Set(table.split('\n').flatMap(line => {
    const [, local = '', remote = '', state] = line.trim().split(/\s+/)
    return state === CLOSE_WAIT ? [`${portOf(local)} ${portOf(remote)} ${remote.split(':')[0]}`] : []
  }))
  return new Set(peers.filter(({ address, port, localPort }) => {
    // The system has no peer for a connection that was reset.
    return address === '' || formsOf(address).some(form => halfClosed.has(`${localPort} ${port} ${form}`))
  }))
}

/** @param {string} end  as in 0100007F:1F90 */
function portOf (end) {
  return Number.parseInt(end.slice(end.indexOf(':') + 1), 16)
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

module.exports = { findGone, goneClients }
