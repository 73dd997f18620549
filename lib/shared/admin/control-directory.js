'use strict'

// The directory of the control socket, on which the process that listens and the command line must agree: where it is, and that only the user can
// change it. It is never repaired: a directory with other properties is refused. The runtime directory of the user's session is preferred, because
// the system creates it for this user alone; in the shared temporary directory another user may create it first. Windows has no such directory, and
// its temporary directory is not shared.

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { errors } = require('../../base/errors')
const { describeUnsafe, makeDirectory, openDirectory, ownName } = require('../../base/system/private-directory')

const PIPE_PREFIX = '\\\\.\\pipe\\'
const RANDOM_BYTES = 16
const CONTROL_PIPE = /^\\\\\.\\pipe\\loopscope-\d+-[0-9a-f]{32}$/

const WRITABLE_BY_OTHERS = 0o022
const OPEN_TO_OTHERS = 0o077
const ROOT = 0
const MISSING = Symbol('missing')
// sun_path has 108 bytes on Linux, 104 on macOS, including the zero at the end. Node silently truncates a longer one.
const MAX_SOCKET_BYTES = process.platform === 'linux' ? 107 : 103
const MAX_NAME_BYTES = '/4194304-4026531836.sock'.length // controlSocketName() with the longest pid and a namespace

/**
 * For the process that listens.
 * @param {string | undefined} runtimeFolder  XDG_RUNTIME_DIR, which may be another user's after su
 * @returns {string}
 */
function chooseControlDirectory (runtimeFolder) {
  if (runtimeFolder !== undefined && !hasNamedPipes() && path.isAbsolute(runtimeFolder) && isPrivateToUser(runtimeFolder)) {
    return controlDirectoryOfSession(runtimeFolder)
  }
  const user = ownName()
  return controlDirectoryOfUser(temporaryFolder(user), user)
}

/**
 * The folder for processes without a session: the temporary one, or /tmp where a path of a socket below that would be too long.
 * @param {number | string} user  its id, on Windows its name
 */
function temporaryFolder (user) {
  const folder = os.tmpdir()
  const isTooLong = Buffer.byteLength(controlDirectoryOfUser(folder, user)) + MAX_NAME_BYTES > MAX_SOCKET_BYTES
  return isTooLong && !hasNamedPipes() ? '/tmp' : folder
}

/** @param {string} folder */
function isPrivateToUser (folder) {
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
  assertOwnedByUser(above, fs.lstatSync(above), WRITABLE_BY_OTHERS)
  makeDirectory(directory)
  assertOwnedByUser(directory, fs.lstatSync(directory), OPEN_TO_OTHERS)
  if (process.platform !== 'linux') return { name: directory, release: () => {} } // others have no such names
  const fd = openDirectory(directory)
  try {
    assertOwnedByUser(directory, fs.fstatSync(fd), OPEN_TO_OTHERS)
    return { name: nameOf(fd) ?? directory, release: () => fs.closeSync(fd) }
  } catch (error) {
    fs.closeSync(fd)
    throw error
  }
}

/** @param {number} fd @returns {string | null} null without /proc, and where the permission model looks at names */
function nameOf (fd) {
  const name = `/proc/self/fd/${fd}`
  return process.permission === undefined && fs.existsSync(name) ? name : null
}

/** @param {string} dir @param {import('node:fs').Stats} stats @param {number} forbidden  bits of the mode */
function assertOwnedByUser (dir, stats, forbidden) {
  const found = describeUnsafe(stats, { forbidden })
  if (found !== null) throw new errors.ERR_LOOPSCOPE_SOCKET_UNUSABLE(dir, `wanted a directory of this user alone, got ${found}`)
}

/** @param {string} runtimeFolder  XDG_RUNTIME_DIR */
function controlDirectoryOfSession (runtimeFolder) {
  return path.join(runtimeFolder, 'loopscope', 'control')
}

/** @param {string} temporaryFolder @param {number | string} user  its id, on Windows its name */
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

/**
 * Whether a file in a control directory can be trusted: only if nobody except the user of the process, or root, could have created it.
 * @param {string} directory
 * @param {string | null} socket  its path in the directory, or the pipe that a file there names
 * @param {readonly number[]} users  whose it has to be; none where the system has no user ids
 * @returns {string | typeof MISSING | null} null: it is
 */
function problemOf (directory, socket, users) {
  const uids = [...users, ROOT]
  try {
    for (const own of ownDirectories(directory)) {
      const found = describeUnsafe(fs.lstatSync(own), { uids, forbidden: WRITABLE_BY_OTHERS })
      if (found !== null) return `${own} is ${found.replace(/^one /, '')}`
    }
    if (socket === null || isNamedPipe(socket)) return null
    const stats = fs.lstatSync(socket)
    if (!stats.isSocket()) return `${socket} is no socket`
    return uids.includes(stats.uid) ? null : `${socket} is owned by uid ${stats.uid}`
  } catch {
    return MISSING // or not readable for this user
  }
}

/**
 * @param {import('node:fs').Stats} stats  of a file
 * @param {readonly number[]} users
 */
function isTrustedFile (stats, users) {
  if (process.geteuid === undefined) return stats.isFile()
  return stats.isFile() && (stats.mode & WRITABLE_BY_OTHERS) === 0 && [...users, ROOT].includes(stats.uid)
}

/** Control sockets on Windows are named pipes, because Windows has none by path. */
function hasNamedPipes () {
  return process.platform === 'win32'
}

/** @param {string} address  of a listener */
function isNamedPipe (address) {
  return hasNamedPipes() && address.startsWith(PIPE_PREFIX)
}

/**
 * Any user may create a pipe under a name that is free, so a name that could be guessed could be another user's: it has a random part, and stands in
 * the process's file of facts, which is in the user's own folder.
 * @param {number} pid
 */
function newControlPipe (pid) {
  return `${PIPE_PREFIX}loopscope-${pid}-${process.getBuiltinModule('node:crypto').randomBytes(RANDOM_BYTES).toString('hex')}`
}

module.exports = {
  CONTROL_PIPE,
  MAX_SOCKET_BYTES,
  MISSING,
  chooseControlDirectory,
  controlDirectoryOfSession,
  controlDirectoryOfUser,
  controlSocketName,
  hasNamedPipes,
  holdControlDirectory,
  isNamedPipe,
  isTrustedFile,
  newControlPipe,
  problemOf,
  temporaryFolder
}
