'use strict'

// Reads regular files only, and never blocks on one: a path may be controlled by others, and a thread that waits in a read (a FIFO, a terminal,
// /proc/kmsg) would block process.exit(). It reads at most the size of the file.

const fs = require('node:fs')

const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = fs.constants // Windows has neither of the last two

/**
 * @typedef {object} ReadOptions
 * @property {number} [maxBytes]   a larger file is not read
 * @property {boolean} [follow]    false: not where the name is a symbolic link
 */

/**
 * The file, opened; to be closed by the caller.
 * @param {string} file
 * @param {Pick<ReadOptions, 'follow'>} [options]
 * @returns {{ fd: number, stats: fs.Stats }}
 * @throws an error of the system, or one with code ERR_NOT_A_FILE
 */
function openRegularFile (file, { follow = true } = {}) {
  const fd = fs.openSync(file, O_RDONLY | O_NONBLOCK | (follow ? 0 : O_NOFOLLOW))
  try {
    const stats = fs.fstatSync(fd)
    if (!stats.isFile()) throw Object.assign(new Error(`${file} is no regular file`), { code: 'ERR_NOT_A_FILE' })
    return { fd, stats }
  } catch (error) {
    fs.closeSync(fd)
    throw error
  }
}

/**
 * @param {string} file
 * @param {ReadOptions} [options]
 * @returns {Buffer}
 * @throws an error of the system, or one with code ERR_NOT_A_FILE or ERR_FILE_TOO_LARGE
 */
function readRegularFile (file, { maxBytes = Infinity, ...options } = {}) {
  const { fd, stats: { size } } = openRegularFile(file, options)
  try {
    if (size > maxBytes) throw Object.assign(new Error(`${file} has ${size} bytes, too many`), { code: 'ERR_FILE_TOO_LARGE', size })
    const bytes = Buffer.allocUnsafe(size)
    let length = 0
    for (let read = -1; read !== 0 && length < size; length += read) read = fs.readSync(fd, bytes, length, size - length, length)
    return bytes.subarray(0, length)
  } finally {
    fs.closeSync(fd)
  }
}

/** @param {string} file @param {ReadOptions} [options] @returns {string} @throws as readRegularFile */
function readRegularText (file, options) {
  return readRegularFile(file, options).toString()
}

module.exports = { openRegularFile, readRegularFile, readRegularText }
