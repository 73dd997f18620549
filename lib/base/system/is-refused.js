'use strict'

// Whether a Unix socket no longer has a listener: then its process is dead, in whatever container it ran. A process that is stopped or blocked keeps
// listening, and process ids of another container are not needed.

const net = require('node:net')
const { Promise } = require('../globals')
const { guarded } = require('../guard')

const PROBE_MS = 500
const DEAD = ['ECONNREFUSED', 'ENOENT']

/** @param {string} file @returns {Promise<boolean>} */
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
