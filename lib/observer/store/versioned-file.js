'use strict'

// A file that several processes change without a lock, although any of them may be stopped or killed at any time. Each version is a separate file
// with a number, written completely and then linked under that number only if it is still free. The slower of two processes reads again and
// retries.

const { randomBytes } = require('node:crypto')
const fs = require('node:fs')
const path = require('node:path')
const { parseBounded } = require('../../base/shapes')
const { readRegularFile } = require('../../base/regular-file')
const { isAlive } = require('../../base/system/process-ids')
const { makeDirectory } = require('../../base/system/private-directory')

const STATE = /^(\d{1,15})\.json$/ // a larger number has no next one
const UNFINISHED = /^unfinished-(\d+)-\w+$/
const OWNER_ONLY = 0o600
const MAX_BYTES = 64 * 1024 ** 2
const MAX_TRIES = 50
// A reader lists, then reads: the versions it has listed stay a little longer.
const KEPT = 3
// Each version lists the last writes it is made of, so that a delayed writer sees whether others continued from its own.
const MAX_WRITES = 50

/** @typedef {{ state: any, writes: string[] }} Content */

/** @param {string} directory @returns {any} null if there is none or it is not JSON; otherwise any JSON value */
function readState (directory) {
  return read(directory, latest(directory)).state
}

/**
 * Throws if the directory cannot be written.
 * @template {{ state: unknown }} Change
 * @param {string} directory
 * @param {(state: any) => Change} change  from the last state, or null; called again if another process was faster. With the state null
 *   nothing changes
 * @returns {Change} the change that was made
 */
function updateState (directory, change) {
  makeDirectory(directory)
  for (let attempt = 0; attempt < MAX_TRIES; attempt++) {
    const number = latest(directory)
    const { state, writes } = read(directory, number)
    const changed = change(state)
    if (changed.state === null) return changed
    const write = randomBytes(6).toString('hex')
    if (!put(directory, number + 1, write, { state: changed.state, writes: [...writes, write].slice(-MAX_WRITES) })) continue
    removeOld(directory, number + 1)
    return changed
  }
  throw new Error(`${MAX_TRIES} other processes wrote ${directory} first`)
}

/** @param {string} directory @returns {number} 0 if there is none */
function latest (directory) {
  return Math.max(0, ...names(directory).map(name => Number(STATE.exec(name)?.[1] ?? 0)))
}

/** @param {string} directory */
function names (directory) {
  try {
    return fs.readdirSync(directory)
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') return []
    throw error
  }
}

/** @param {string} directory @param {number} number @returns {Content} */
function read (directory, number) {
  const none = { state: null, writes: [] }
  if (number === 0) return none
  try {
    const content = /** @type {any} */ (parseBounded(readRegularFile(fileOf(directory, number), { maxBytes: MAX_BYTES, follow: false })))
    const { state = null, writes } = content
    return Array.isArray(writes) ? { state, writes: writes.filter(write => typeof write === 'string') } : none
  } catch {
    return none // removed meanwhile: then there is a newer one, and a change of this one is refused; or damaged by a system crash
  }
}

/**
 * @param {string} directory
 * @param {number} number
 * @param {string} write  its name
 * @param {Content} content
 * @returns {boolean} false if another process was faster
 */
function put (directory, number, write, content) {
  const text = JSON.stringify(content)
  if (text.length > MAX_BYTES) throw new Error(`the data kept in ${directory} would be more than ${MAX_BYTES} bytes`)
  // The random part is needed: two containers can have the same process id.
  const unfinished = path.join(directory, `unfinished-${process.pid}-${write}`)
  fs.writeFileSync(unfinished, text, { mode: OWNER_ONLY, flag: 'wx' })
  try {
    fs.linkSync(unfinished, fileOf(directory, number))
    // A process that was delayed for long may have taken a number whose version was already removed.
    return holds(directory, number, write) || undo(fileOf(directory, number))
  } catch (error) {
    // ENOENT: removed by a process in another container, to which this one looks dead.
    if (['EEXIST', 'ENOENT'].includes(String(/** @type {NodeJS.ErrnoException} */ (error).code))) return false
    throw error
  } finally {
    fs.rmSync(unfinished, { force: true })
  }
}

/**
 * @param {string} directory
 * @param {number} number  the number of the write
 * @param {string} write
 * @returns {boolean} whether it is the last version, or later ones were made from it
 */
function holds (directory, number, write) {
  for (let newest = latest(directory), before = 0; newest !== before; newest = latest(directory)) {
    if (newest === number || read(directory, newest).writes.includes(write)) return true
    before = newest // removed before it was read, because there is a newer one
  }
  return false
}

/** @param {string} file */
function undo (file) {
  fs.rmSync(file, { force: true })
  return false
}

/** @param {string} directory @param {number} newest */
function removeOld (directory, newest) {
  for (const name of names(directory)) {
    const number = Number(STATE.exec(name)?.[1] ?? Infinity)
    const maker = Number(UNFINISHED.exec(name)?.[1] ?? process.pid)
    if (number <= newest - KEPT || !isAlive(maker)) fs.rmSync(path.join(directory, name), { recursive: true, force: true })
  }
}

/** @param {string} directory @param {number} number */
function fileOf (directory, number) {
  return path.join(directory, `${number}.json`)
}

module.exports = { readState, updateState }
