'use strict'

// Parses the tables of connections and listeners that Linux has of each network, /proc/<pid>/net/tcp and tcp6: see proc_net_tcp(5).

const TCP_TABLES = Object.freeze(['/proc/self/net/tcp', '/proc/self/net/tcp6'])
const STATES = Object.freeze({ established: '01', closeWait: '08', listening: '0A' })

const ROW = /^ *\d+: ([\dA-F]+):([\dA-F]{4}) ([\dA-F]+):([\dA-F]{4}) ([\dA-F]{2}) (?:\S+ +){5}(\d+)/gm

/**
 * @typedef {object} TcpRow
 * @property {string} local   address in hexadecimal, each group of four bytes in the byte order of the machine
 * @property {number} localPort
 * @property {string} remote  the same
 * @property {number} remotePort
 * @property {string} state   one of STATES, or another
 * @property {string} inode   of the socket, as in the link of its file descriptor: `socket:[inode]`
 */

/** @param {string} text @returns {TcpRow[]} */
function parseTcpTable (text) {
  return [...text.matchAll(ROW)].map(([, local, localPort, remote, remotePort, state, inode]) => {
    return { local, localPort: Number.parseInt(localPort, 16), remote, remotePort: Number.parseInt(remotePort, 16), state, inode }
  })
}

module.exports = { STATES, TCP_TABLES, parseTcpTable }
