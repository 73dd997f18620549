'use strict'

// Marker files in the store, one for each process that waits for its heap limit: touched while it lives and removed when it ends normally, so that
// the next process can detect what a dead one left, and when it died.

const fs = require('node:fs')
const path = require('node:path')
const { guarded } = require('../../base/guard')
const { readRegularText } = require('../../base/regular-file')
const { setInterval } = require('../../base/timers')

const MAX_BYTES = 64 * 1024
const MARK = /^near-limit-(\d+)\.mark$/
const OWNER_ONLY = 0o600
const TOUCH_MS = 5000

/** @param {string} dir  of the store */
function markOf (dir) {
  return path.join(dir, `near-limit-${process.pid}.mark`)
}

/**
 * @param {string} dir     of the store; exists
 * @param {string} folder  in which V8 leaves files of this process
 */
function mark (dir, folder) {
  const file = markOf(dir)
  fs.rmSync(file, { force: true })
  fs.writeFileSync(file, folder, { mode: OWNER_ONLY, flag: 'wx' })
  setInterval(guarded(() => {
    try {
      fs.utimesSync(file, new Date(), new Date())
    } catch {} // the process ends, or the store was emptied
  }), TOUCH_MS).unref()
}

/** @param {string} dir  of the store */
function unmark (dir) {
  fs.rmSync(markOf(dir), { force: true })
}

/**
 * @param {string} name  of a file in the store
 * @returns {number | null}
 */
function pidOfMark (name) {
  const pid = Number(MARK.exec(name)?.[1])
  return pid > 0 ? pid : null
}

/** @param {string} file */
function readMark (file) {
  return { folder: readRegularText(file, { maxBytes: MAX_BYTES }), diedAtMs: fs.statSync(file).mtimeMs }
}

module.exports = { mark, unmark, pidOfMark, readMark, TOUCH_MS }
