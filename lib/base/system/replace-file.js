'use strict'

// Renames a file over another one. Windows refuses it while anybody has one of them open, such as a virus scanner or a reader of facts: then it is
// tried again for a fifth of a second.

const fs = require('node:fs')

const IN_USE = ['EPERM', 'EBUSY', 'EACCES']
const MAX_TRIES = 11
const PAUSE_MS = 20

/** @param {string} from @param {string} to */
function replaceFile (from, to) {
  for (let attempt = 1; ; attempt++) {
    try {
      return fs.renameSync(from, to)
    } catch (error) {
      const isInUse = process.platform === 'win32' && IN_USE.includes(String(/** @type {NodeJS.ErrnoException} */ (error).code))
      if (!isInUse || attempt === MAX_TRIES) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS)
    }
  }
}

module.exports = { replaceFile }
