'use strict'

// Control sockets on Windows are named pipes, because Windows has none by path. Any user may create a pipe under a name that is free, so a name that
// could be guessed could be another user's: it has a random part, and stands in the process's file of facts, which is in the user's own folder.

const PREFIX = '\\\\.\\pipe\\'
const RANDOM_BYTES = 16
const CONTROL_PIPE = /^\\\\\.\\pipe\\loopscope-\d+-[0-9a-f]{32}$/

function hasNamedPipes () {
  return process.platform === 'win32'
}

/** @param {string} address  of a listener */
function isNamedPipe (address) {
  return hasNamedPipes() && address.startsWith(PREFIX)
}

/** @param {number} pid */
function newControlPipe (pid) {
  return `${PREFIX}loopscope-${pid}-${process.getBuiltinModule('node:crypto').randomBytes(RANDOM_BYTES).toString('hex')}`
}

module.exports = { CONTROL_PIPE, hasNamedPipes, isNamedPipe, newControlPipe }
