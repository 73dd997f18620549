'use strict'

// What the rules of an application did in the last day, in its folder of the store: all its processes share it, and it outlasts them, so that a crash
// loop does not act a thousand times. Each state is a file of its own with a number, made whole and put there only if nobody put that number
// there before; who comes second reads again. So there is no lock that could stay held.

const { randomBytes } = require('node:crypto')
const fs = require('node:fs')
const path = require('node:path')
const { makeDirectory } = require('../../shared/system/private-directory')
const { RULES_FOLDER } = require('../../shared/store/application-folder')

/** @import { Admission, LimitState } from '../../shared/rules/limits' */

const STATE = /^(\d+)\.json$/
const OWNER_ONLY = 0o600
const MAX_TRIES = 50
// A reader lists, then reads: what it saw is there a little longer.
const KEPT = 3
const UNFINISHED_MS = 60_000 // older ones are of processes that died

/**
 * All of it throws where the folder cannot be written.
 * @param {() => string} openFolder  of the application, which is there then
 */
function createLimitFile (openFolder) {
  /**
   * @param {(state: LimitState) => Admission} change
   */
  function update (change) {
    const folder = path.join(openFolder(), RULES_FOLDER)
    makeDirectory(folder)
    for (let attempt = 0; attempt < MAX_TRIES; attempt++) {
      const number = latest(folder)
      const answer = change(read(folder, number))
      if (answer.state === null) return answer
      if (!put(folder, number + 1, answer.state)) continue
      removeOld(folder, number + 1)
      return answer
    }
    throw new Error(`${MAX_TRIES} others wrote ${folder} first`)
  }

  return { update }
}

/** @param {string} folder */
function latest (folder) {
  return Math.max(0, ...fs.readdirSync(folder).map(name => Number(STATE.exec(name)?.[1] ?? 0)))
}

/**
 * @param {string} folder
 * @param {number} number  0: there is none
 * @returns {LimitState}
 */
function read (folder, number) {
  if (number === 0) return {}
  try {
    const state = JSON.parse(fs.readFileSync(fileOf(folder, number), 'utf8'))
    return state !== null && typeof state === 'object' && Object.values(state).every(Array.isArray) ? state : {}
  } catch {
    return {} // removed meanwhile: then its successor is there, and what is made of this one is refused; or spoilt by a crash of the system
  }
}

/**
 * @param {string} folder
 * @param {number} number
 * @param {LimitState} state
 * @returns {boolean} false: somebody else was faster
 */
function put (folder, number, state) {
  const unfinished = path.join(folder, `unfinished-${randomBytes(6).toString('hex')}`)
  fs.writeFileSync(unfinished, JSON.stringify(state), { mode: OWNER_ONLY, flag: 'wx' })
  try {
    fs.linkSync(unfinished, fileOf(folder, number))
    if (latest(folder) === number) return true
    fs.rmSync(fileOf(folder, number), { force: true }) // it was held up for long, and took a number that was removed
    return false
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'EEXIST') return false
    throw error
  } finally {
    fs.rmSync(unfinished, { force: true })
  }
}

/**
 * @param {string} folder
 * @param {number} newest
 */
function removeOld (folder, newest) {
  for (const name of fs.readdirSync(folder)) {
    const number = Number(STATE.exec(name)?.[1] ?? Infinity)
    if (number <= newest - KEPT || (number === Infinity && isOld(path.join(folder, name)))) fs.rmSync(path.join(folder, name), { force: true })
  }
}

/** @param {string} file */
function isOld (file) {
  const stats = fs.statSync(file, { throwIfNoEntry: false })
  return stats !== undefined && Date.now() - stats.mtimeMs > UNFINISHED_MS
}

/**
 * @param {string} folder
 * @param {number} number
 */
function fileOf (folder, number) {
  return path.join(folder, `${number}.json`)
}

module.exports = { createLimitFile }
