'use strict'

// The directory of the control socket, at the end of the process that listens: which one it is, and that nobody else has a
// hand in it. It is never made to fit: what is not as wanted is refused.

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { errors } = require('../base/errors')
const { describeUnsafe, makeDirectory, openDirectory } = require('../system/private-directory')
const { controlDirectoryOfSession, controlDirectoryOfUser, ownDirectories } = require('./control-path')

const WRITABLE_BY_OTHERS = 0o022
const OPEN_TO_OTHERS = 0o077

/**
 * @param {string | undefined} runtimeFolder  XDG_RUNTIME_DIR, which may be another user's after su
 * @returns {string}
 */
function chooseControlDirectory (runtimeFolder) {
  if (runtimeFolder !== undefined && path.isAbsolute(runtimeFolder) && isOursAlone(runtimeFolder)) {
    return controlDirectoryOfSession(runtimeFolder)
  }
  return controlDirectoryOfUser(os.tmpdir(), process.geteuid?.() ?? os.userInfo().uid)
}

/** @param {string} folder */
function isOursAlone (folder) {
  try {
    fs.accessSync(folder, fs.constants.W_OK | fs.constants.X_OK)
    return describeUnsafe(fs.lstatSync(folder), { forbidden: OPEN_TO_OTHERS }) === null
  } catch {
    return false
  }
}

/**
 * Makes it when it is missing, and holds it open.
 * @param {string} directory
 * @returns {{ name: string, release: () => void }} a name that goes on meaning this directory, whatever is put in its place
 * @throws ERR_LOOPSCOPE_SOCKET_UNUSABLE
 */
function holdControlDirectory (directory) {
  const [above] = ownDirectories(directory)
  makeDirectory(above)
  assertOurs(above, fs.lstatSync(above), WRITABLE_BY_OTHERS)
  makeDirectory(directory)
  assertOurs(directory, fs.lstatSync(directory), OPEN_TO_OTHERS)
  if (process.platform !== 'linux') return { name: directory, release: () => {} } // others have no such names
  const fd = openDirectory(directory)
  try {
    assertOurs(directory, fs.fstatSync(fd), OPEN_TO_OTHERS)
    return { name: nameOf(fd) ?? directory, release: () => fs.closeSync(fd) }
  } catch (error) {
    fs.closeSync(fd)
    throw error
  }
}

/**
 * @param {number} fd
 * @returns {string | null} null without /proc, and where the permission model looks at names
 */
function nameOf (fd) {
  const name = `/proc/self/fd/${fd}`
  return process.permission === undefined && fs.existsSync(name) ? name : null
}

/**
 * @param {string} dir
 * @param {import('node:fs').Stats} stats
 * @param {number} forbidden  bits of the mode
 */
function assertOurs (dir, stats, forbidden) {
  const found = describeUnsafe(stats, { forbidden })
  if (found !== null) throw new errors.ERR_LOOPSCOPE_SOCKET_UNUSABLE(dir, `wanted a directory of this user alone, got ${found}`)
}

module.exports = { chooseControlDirectory, holdControlDirectory }
