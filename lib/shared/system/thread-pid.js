'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { isMainThread } = require('node:worker_threads')

/**
 * The system's number of the thread that asks, null where it does not tell.
 * @returns {number | null}
 */
function threadPidHere () {
  if (isMainThread) return process.pid
  try {
    return Number(path.basename(fs.readlinkSync('/proc/thread-self'))) // <pid>/task/<thread>
  } catch {
    return null // not Linux, or the permission model
  }
}

module.exports = { threadPidHere }
