'use strict'

// Where a process listens for connections, as the system tells.

const { list, read, readLink } = require('./proc-files')

const STATE_LISTEN = '0A'
const [LOCAL, STATE, INODE] = [1, 3, 9] // columns of proc_net_tcp(5)
const ONLY_IPV6_LOOPBACK = /^0{24}(01000000|00000001)$/ // whichever way round the machine has its bytes

/**
 * @param {number} pid
 * @returns {{ port: number, host: string }[]} host: where it is reached on this machine; one entry a port
 */
function listListeners (pid) {
  const own = new Set(list(`/proc/${pid}/fd`).map(fd => readLink(`/proc/${pid}/fd/${fd}`)))
  const rows = ['tcp', 'tcp6'].flatMap(table => read(`/proc/${pid}/net/${table}`).split('\n').map(row => row.trim().split(/\s+/)))
  /** @type {Map<number, { port: number, host: string }>} */
  const listeners = new Map()
  for (const row of rows) {
    if (row[STATE] !== STATE_LISTEN || !own.has(`socket:[${row[INODE]}]`)) continue
    const [address, hex] = row[LOCAL].split(':')
    const port = Number.parseInt(hex, 16)
    if (!listeners.has(port)) listeners.set(port, { port, host: hostOf(address) })
  }
  return [...listeners.values()]
}

/**
 * @param {string} address  in hexadecimal, each four bytes as a number of this machine
 * @returns {string}
 */
function hostOf (address) {
  if (ONLY_IPV6_LOOPBACK.test(address)) return '[::1]'
  if (address.length !== 8 || /^0+$/.test(address)) return '127.0.0.1' // who listens on all of IPv6 takes IPv4, too
  const bytes = [...Buffer.from(address, 'hex')]
  return (isLittleEndian() ? bytes.reverse() : bytes).join('.')
}

function isLittleEndian () {
  return new Uint8Array(Uint16Array.of(1).buffer)[0] === 1
}

module.exports = { listListeners }
