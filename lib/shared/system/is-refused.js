'use strict'

// Whether nobody listens on a Unix socket any more: its process is dead, wherever it ran. One that is stopped, or stuck, goes on
// listening; what it says of the process ids of another container nobody needs to know.

const net = require('node:net')
const { guarded } = require('../base/guard')

const PROBE_MS = 500
const DEAD = ['ECONNREFUSED', 'ENOENT']

/**
 * @param {string} file
 * @returns {Promise<boolean>}
 */
function isRefused (file) {
  return new Promise(resolve => {
    const socket = net.connect(file)
    const end = (/** @type {boolean} */ isDead) => {
      socket.destroy()
      resolve(isDead)
    }
    socket.setTimeout(PROBE_MS, guarded(() => end(false)))
    socket.once('connect', guarded(() => end(false)))
    socket.on('error', guarded((/** @type {NodeJS.ErrnoException} */ { code }) => end(DEAD.includes(String(code)))))
  })
}

module.exports = { isRefused }
