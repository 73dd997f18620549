'use strict'

// Whether what lies in a control directory is to be believed: only where nobody but the user of the process, or root, could have
// put it there.

const fs = require('node:fs')
const { describeUnsafe } = require('../system/private-directory')
const { ownDirectories } = require('./control-path')

const ROOT = 0
const WRITABLE_BY_OTHERS = 0o022
const MISSING = Symbol('missing')

/**
 * @param {string} directory
 * @param {string | null} socket  in it
 * @param {readonly number[]} users  whose it has to be; none where the system has no user ids
 * @returns {string | typeof MISSING | null}
 */
function problemOf (directory, socket, users) {
  const uids = [...users, ROOT]
  try {
    for (const own of ownDirectories(directory)) {
      const found = describeUnsafe(fs.lstatSync(own), { uids, forbidden: WRITABLE_BY_OTHERS })
      if (found !== null) return `${own} is ${found.replace(/^one /, '')}`
    }
    if (socket === null) return null
    const stats = fs.lstatSync(socket)
    if (!stats.isSocket()) return `${socket} is no socket`
    return uids.includes(stats.uid) ? null : `${socket} is owned by uid ${stats.uid}`
  } catch {
    return MISSING // or not for us to look at
  }
}

/**
 * @param {import('node:fs').Stats} stats  of a file
 * @param {readonly number[]} users
 */
function isTrustedFile (stats, users) {
  return stats.isFile() && (stats.mode & WRITABLE_BY_OTHERS) === 0 && [...users, ROOT].includes(stats.uid)
}

module.exports = { MISSING, isTrustedFile, problemOf }
