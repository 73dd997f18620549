'use strict'

const fs = require('node:fs')

const START_TIME = 19 // starttime, counted from the state, which follows the name in brackets: proc_pid_stat(5)

/**
 * When a process was started, as its system counts it: the number of a process is given to another one later.
 * @param {number} pid
 * @returns {string} '0' where there is no /proc
 */
function processStart (pid) {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'latin1')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[START_TIME]
  } catch {
    return '0'
  }
}

module.exports = { processStart }
