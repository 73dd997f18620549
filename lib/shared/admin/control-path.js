'use strict'

// Where the control socket of a process is: the one place that both ends, the process and the command line, must agree on.
// Preferred is the runtime folder of the user's session, which the system makes for this user alone; the temporary folder is
// everybody's, and somebody else may be there first.

const path = require('node:path')

/** @param {string} runtimeFolder  XDG_RUNTIME_DIR */
function controlDirectoryOfSession (runtimeFolder) {
  return path.join(runtimeFolder, 'loopscope', 'control')
}

/**
 * @param {string} temporaryFolder
 * @param {number | string} user  its id
 */
function controlDirectoryOfUser (temporaryFolder, user) {
  return path.join(temporaryFolder, `loopscope-${user}`, 'control')
}

/**
 * The directories below the shared folder that have to be the user's own, from above.
 * @param {string} controlDirectory
 */
function ownDirectories (controlDirectory) {
  return [path.dirname(controlDirectory), controlDirectory]
}

/** @param {number} pid */
function controlSocketName (pid) {
  return `${pid}.sock`
}

module.exports = { controlDirectoryOfSession, controlDirectoryOfUser, controlSocketName, ownDirectories }
