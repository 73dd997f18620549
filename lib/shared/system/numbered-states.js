'use strict'

// Data that several processes change, in a folder. Any of them may be stopped or killed in the middle: each state is a file of its own with
// a number, made whole and put there only if nobody put that number there before. Who comes second reads again. So there is no lock
// that could stay held.

const { randomBytes } = require('node:crypto')
const fs = require('node:fs')
const path = require('node:path')
const { parseBounded } = require('../base/shapes')
const { readRegularFile } = require('../base/regular-file')
const { isAlive } = require('./process-ids')
const { makeDirectory } = require('./private-directory')

const STATE = /^(\d{1,15})\.json$/ // a larger number has no next one
const UNFINISHED = /^unfinished-(\d+)-\w+$/
const OWNER_ONLY = 0o600
const MAX_BYTES = 64 * 1024 ** 2
const MAX_TRIES = 50
// A reader lists, then reads: what it saw is there a little longer.
const KEPT = 3
// Each state names the last writes that it was made by, so that a writer that was held up sees whether others went on from its own.
const MAX_WRITES = 50

/** @typedef {{ state: any, writes: string[] }} Content */

/**
 * @param {string} directory
 * @returns {any} null: there is none, or it is no JSON; of any shape otherwise
 */
function readState (directory) {
  return read(directory, latest(directory)).state
}

/**
 * Throws where the directory cannot be written.
 * @template {{ state: unknown }} Change
 * @param {string} directory
 * @param {(state: any) => Change} change  from the last state, or null; called again where somebody else was faster. A state that is
 *   null: it stays as it is
 * @returns {Change} the one that holds
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
  throw new Error(`${MAX_TRIES} others wrote ${directory} first`)
}

/**
 * @param {string} directory
 * @returns {number} 0: there is none
 */
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

/**
 * @param {string} directory
 * @param {number} number
 * @returns {Content}
 */
function read (directory, number) {
  const none = { state: null, writes: [] }
  if (number === 0) return none
  try {
    const content = /** @type {any} */ (parseBounded(readRegularFile(fileOf(directory, number), { maxBytes: MAX_BYTES, follow: false })))
    const { state = null, writes } = content
    return Array.isArray(writes) ? { state, writes: writes.filter(write => typeof write === 'string') } : none
  } catch {
    return none // removed meanwhile: then its successor is there, and what is made of this one is refused; or spoilt by a crash of the system
  }
}

/**
 * @param {string} directory
 * @param {number} number
 * @param {string} write  its name
 * @param {Content} content
 * @returns {boolean} false: somebody else was faster
 */
function put (directory, number, write, content) {
  const text = JSON.stringify(content)
  if (text.length > MAX_BYTES) throw new Error(`what is kept in ${directory} would be more than ${MAX_BYTES} bytes`)
  // By chance, too: in two containers this process's id may be another one's.
  const unfinished = path.join(directory, `unfinished-${process.pid}-${write}`)
  fs.writeFileSync(unfinished, text, { mode: OWNER_ONLY, flag: 'wx' })
  try {
    fs.linkSync(unfinished, fileOf(directory, number))
    // One that was held up for long may have taken a number that was removed.
    return holds(directory, number, write) || undo(fileOf(directory, number))
  } catch (error) {
    // Removed: by somebody to whom this process seems dead, being in another container.
    if (['EEXIST', 'ENOENT'].includes(String(/** @type {NodeJS.ErrnoException} */ (error).code))) return false
    throw error
  } finally {
    fs.rmSync(unfinished, { force: true })
  }
}

/**
 * @param {string} directory
 * @param {number} number  that was put there
 * @param {string} write
 * @returns {boolean} whether it is the last state, or others were made from it
 */
function holds (directory, number, write) {
  for (let newest = latest(directory), before = 0; newest !== before; newest = latest(directory)) {
    if (newest === number || read(directory, newest).writes.includes(write)) return true
    before = newest // removed before it was read, where there is a newer one
  }
  return false
}

/** @param {string} file */
function undo (file) {
  fs.rmSync(file, { force: true })
  return false
}

/**
 * @param {string} directory
 * @param {number} newest
 */
function removeOld (directory, newest) {
  for (const name of names(directory)) {
    const number = Number(STATE.exec(name)?.[1] ?? Infinity)
    const maker = Number(UNFINISHED.exec(name)?.[1] ?? process.pid)
    if (number <= newest - KEPT || !isAlive(maker)) fs.rmSync(path.join(directory, name), { recursive: true, force: true })
  }
}

/**
 * @param {string} directory
 * @param {number} number
 */
function fileOf (directory, number) {
  return path.join(directory, `${number}.json`)
}

module.exports = { readState, updateState }
