'use strict'

// Where the control socket of a process is: the one place that both ends, the process and the command line, must agree on.

const path = require('node:path')

/**
 * @param {string} temporaryFolder
 * @param {number | string} user  its id; on Windows its name
 */
function controlDirectory (temporaryFolder, user) {
  return path.join(temporaryFolder, `loopscope-${user}`, 'control')
}

/**
 * @param {string} temporaryFolder
 * @param {number | string} user
 * @param {number} pid
 */
function controlSocketPath (temporaryFolder, user, pid) {
  return path.join(controlDirectory(temporaryFolder, user), `${pid}.sock`)
}

module.exports = { controlDirectory, controlSocketPath }
