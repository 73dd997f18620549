'use strict'

// A file for what must not be left behind, such as a heap snapshot before its redaction. It has no name: the system frees it
// when the process ends, however it ends. Who writes or reads it by path goes through /proc. Where there is none (macOS,
// Windows, a permission model that does not allow it) the file has a partial name, and goes with those.

const fs = require('node:fs')
const { discard } = require('./atomic-write')

const OWNER_ONLY = 0o600

/**
 * @typedef {object} ScratchFile
 * @property {string} path
 * @property {string | null} inode  of a file without a name: its path is a number, which is given away again once it is released
 * @property {() => void} release  once more when somebody may still have been writing
 */

/**
 * @param {string} partialPath  does not exist
 * @returns {ScratchFile}
 */
function createScratchFile (partialPath) {
  const fd = openPrivate(partialPath)
  const unnamed = unname(fd, partialPath)
  if (unnamed !== null) return unnamed
  fs.closeSync(fd)
  // Again, since it may have lost its name before that turned out to be of no use.
  fs.closeSync(openPrivate(partialPath))
  return { path: partialPath, inode: null, release: () => discard(partialPath) }
}

/**
 * It exists before anybody writes to it, so its mode is not left to who does.
 * @param {string} file
 */
function openPrivate (file) {
  const fd = fs.openSync(file, 'a', OWNER_ONLY)
  try {
    fs.chmodSync(file, OWNER_ONLY)
    return fd
  } catch (error) {
    fs.closeSync(fd)
    throw error
  }
}

/**
 * @param {number} fd
 * @param {string} partialPath
 * @returns {ScratchFile | null} null where it could not be reached any more
 */
function unname (fd, partialPath) {
  const path = `/proc/self/fd/${fd}`
  try {
    if (inodeOf(path) !== inodeOf(partialPath)) return null
    fs.unlinkSync(partialPath)
    // Some network file systems only give it another name, or cannot open it again.
    if (fs.fstatSync(fd).nlink > 0) return null
    fs.closeSync(fs.openSync(path, 'r+'))
  } catch {
    return null
  }
  let isOpen = true
  const release = () => {
    if (isOpen) fs.closeSync(fd)
    isOpen = false
  }
  return { path, inode: inodeOf(path), release }
}

/** @param {string} file */
function inodeOf (file) {
  const { dev, ino } = fs.statSync(file, { bigint: true })
  return `${dev}:${ino}`
}

module.exports = { createScratchFile }
