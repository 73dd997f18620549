'use strict'

// Directories that only this user can change: creates them, and finds what makes one untrustworthy. Windows has neither user ids nor modes: there
// the user's own temporary directory is trusted, which its access list reserves for the user.

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')

const OWNER_ONLY = 0o700
const MODE = 0o777
// Neither exists on Windows, where directories cannot be opened.
const { O_RDONLY, O_DIRECTORY = 0, O_NOFOLLOW = 0 } = fs.constants

/** The ids of this user, by which files are trusted; none on Windows. */
function ownIds () {
  return process.geteuid === undefined ? [] : [process.geteuid()]
}

/** @returns {number | string} this user, as a part of the name of a folder */
function ownName () {
  return process.geteuid?.() ?? os.userInfo().username.toLowerCase().replace(/[^a-z0-9]+/g, '_')
}

/**
 * mkdir's own recursion would leave the modes to the umask, and a worker thread may not change the umask. The mode of a
 * directory that is there already is never changed: it may be one that others need.
 * @param {string} dir
 */
function makeDirectory (dir) {
  try {
    makeOne(dir)
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'ENOENT' || path.dirname(dir) === dir) throw error
    makeDirectory(path.dirname(dir))
    makeOne(dir)
  }
}

/** @param {string} dir */
function makeOne (dir) {
  try {
    fs.mkdirSync(dir, OWNER_ONLY)
  } catch (error) {
    // A root or a drive that is there answers EISDIR, EPERM or EROFS on some systems; the caller looks closer.
    if (fs.lstatSync(dir, { throwIfNoEntry: false }) === undefined) throw error
    return
  }
  if (process.platform !== 'win32') undoUmask(dir)
}

/**
 * Through the open directory: by now its name may stand for another directory, whose mode must not change.
 * @param {string} dir  just made
 */
function undoUmask (dir) {
  const { mode, uid } = fs.lstatSync(dir)
  if ((mode & MODE) === OWNER_ONLY || uid !== process.geteuid?.()) return
  // One that cannot be opened. The system only lets this user change its own.
  if ((mode & OWNER_ONLY) !== OWNER_ONLY && uid !== 0) return fs.chmodSync(dir, OWNER_ONLY)
  const fd = openDirectory(dir)
  try {
    if (fs.fstatSync(fd).uid === uid) fs.fchmodSync(fd, OWNER_ONLY)
  } finally {
    fs.closeSync(fd)
  }
}

/** @param {string} dir @returns {number} a descriptor, never one behind a symbolic link */
function openDirectory (dir) {
  return fs.openSync(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
}

/**
 * @param {import('node:fs').Stats} stats  of lstat or fstat
 * @param {{ uids?: readonly number[], forbidden?: number }} [wanted]  who may own it; bits its mode may not have
 * @returns {string | null} what is wrong with it
 */
function describeUnsafe (stats, { uids = ownIds(), forbidden = 0 } = {}) {
  if (stats.isSymbolicLink()) return 'a symbolic link'
  if (!stats.isDirectory()) return 'something that is not a directory'
  if (process.geteuid === undefined) return null
  if (!uids.includes(stats.uid)) return `one owned by uid ${stats.uid}`
  return (stats.mode & forbidden) === 0 ? null : `one of mode ${(stats.mode & MODE).toString(8)}`
}

module.exports = { makeDirectory, openDirectory, ownIds, ownName, describeUnsafe }
