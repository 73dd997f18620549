'use strict'

// Prepares the directory that artifacts are written to: makes it private, checks that other users cannot write to it, and turns its failures into
// errors of the store. It handles no artifacts.

const fs = require('node:fs')
const { errors } = require('../../base/errors')
const { describeUnsafe, makeDirectory } = require('../../base/system/private-directory')

/** The magic numbers of tmpfs and ramfs, see statfs(2). */
const MEMORY_FILE_SYSTEMS = new Set([0x01021994, 0x858458f6])

/** Disk, quota and file size limit: less data or more space solves these. */
const NO_ROOM = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])

/**
 * Creates the directory if it is missing, and throws if it cannot be trusted. The mode of an existing directory is never changed: others may
 * need it.
 * @param {string} dir  resolved: with a trailing slash lstat would follow a symbolic link
 */
function ensureDirectory (dir) {
  makeDirectory(dir)
  const stats = fs.lstatSync(dir)
  const found = describeUnsafe(stats)
  if (found !== null) {
    const remedy = ` while this process runs as uid ${process.geteuid?.()}; name a directory inside it, it will be made`
    throw new errors.ERR_LOOPSCOPE_STORE_UNSAFE(dir, stats.isDirectory() ? found + remedy : found)
  }
  fs.accessSync(dir, fs.constants.R_OK | fs.constants.W_OK | fs.constants.X_OK)
}

/** @param {string} dir */
function isOwnDirectory (dir) {
  const stats = fs.lstatSync(dir, { throwIfNoEntry: false })
  return stats !== undefined && describeUnsafe(stats) === null
}

/**
 * Makes a rename survive a power cut. Windows cannot open a directory and some network file systems cannot sync one; the file is
 * in place nevertheless.
 * @param {string} dir
 */
function syncDirectory (dir) {
  let fd
  try {
    fd = fs.openSync(dir, 'r')
    fs.fsyncSync(fd)
  } catch {} finally {
    if (fd !== undefined) fs.closeSync(fd)
  }
}

/** @param {string} dir @returns {number} bytes this user may still write, without the reserve for root */
function readFreeBytes (dir) {
  const { bavail, bsize } = fs.statfsSync(dir)
  return bavail * bsize
}

/** @param {string} dir @returns {boolean} whether files there use memory, not disk */
function isInMemory (dir) {
  return MEMORY_FILE_SYSTEMS.has(fs.statfsSync(dir).type)
}

/**
 * Turns an error of the file system into one of the store's own.
 * @param {unknown} error
 * @param {string} dir
 * @param {number} [bytes]  the size of the failed write
 * @returns {Error} the same error if it already has a code of loopscope's
 */
function toStoreError (error, dir, bytes = 0) {
  const { code = '', message } = /** @type {NodeJS.ErrnoException} */ (error)
  if (Object.hasOwn(errors, code)) return /** @type {Error} */ (error)
  const coded = isOutOfRoom(error)
    ? new errors.ERR_LOOPSCOPE_STORE_FULL(bytes, dir, message)
    : new errors.ERR_LOOPSCOPE_STORE_UNWRITABLE(dir, message)
  coded.cause = error
  return coded
}

/**
 * @param {unknown} error  from writing there
 * @param {string} dir
 * @returns {Error}
 */
function toGone (error, dir) {
  const coded = new errors.ERR_LOOPSCOPE_STORE_UNWRITABLE(dir, 'it, or what was being written to it, was removed meanwhile')
  coded.cause = error
  return coded
}

/** @param {unknown} error @returns {boolean} whether the disk had no space for the file */
function isOutOfRoom (error) {
  return NO_ROOM.has(/** @type {NodeJS.ErrnoException} */ (error).code ?? '')
}

module.exports = { ensureDirectory, isInMemory, isOutOfRoom, isOwnDirectory, readFreeBytes, syncDirectory, toGone, toStoreError }
