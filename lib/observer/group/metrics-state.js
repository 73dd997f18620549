'use strict'

// The totals of a group, kept in the control directory. No process is the first among equals, and any may be stopped or killed in
// the middle: each state is a file of its own with a number, made whole and put there only if nobody put that number there
// before. Who comes second reads again. So there is no lock that could stay held.

const { createHash, randomBytes } = require('node:crypto')
const fs = require('node:fs')
const path = require('node:path')
const { holdControlDirectory } = require('../../shared/admin/control-directory')
const { makeDirectory } = require('../../shared/system/private-directory')
const { NOTHING_TOLD } = require('../../shared/group/metrics/totals')
const { isAlive } = require('../../shared/system/is-alive')

/** @import { Totals } from '../../shared/group/metrics/totals' */

const STATE = /^(\d+)\.json$/
const UNFINISHED = /^unfinished-(\d+)-\w+$/
const OWNER_ONLY = 0o600
const MAX_BYTES = 64 * 1024 ** 2
const MAX_TRIES = 50
// A reader lists, then reads: what it saw is there a little longer.
const KEPT = 3

/**
 * All of it throws where the directory is not one to trust, or cannot be written.
 * @param {{ controlDir: string, group: string }} parts
 */
function createMetricsState ({ controlDir, group }) {
  const folder = folderOf(group)

  /**
   * @template T
   * @param {(directory: string) => T} work
   * @returns {T}
   */
  function within (work) {
    const { name, release } = holdControlDirectory(controlDir)
    try {
      return work(path.join(name, folder))
    } finally {
      release()
    }
  }

  return {
    /** @returns {Totals | null} null: nobody was ever told */
    read () {
      return within(directory => {
        const number = latest(directory)
        return number === 0 ? null : read(directory, number)
      })
    },

    /**
     * @param {(totals: Totals) => Totals} change
     * @returns {Totals} as it is now
     */
    update (change) {
      return within(directory => {
        makeDirectory(directory)
        for (let attempt = 0; attempt < MAX_TRIES; attempt++) {
          const number = latest(directory)
          const changed = change(number === 0 ? NOTHING_TOLD : read(directory, number) ?? NOTHING_TOLD)
          if (!put(directory, number + 1, changed)) continue
          removeOld(directory, number + 1)
          return changed
        }
        throw new Error(`${MAX_TRIES} others wrote ${directory} first`)
      })
    },

    remove () {
      within(directory => fs.rmSync(directory, { recursive: true, force: true }))
    }
  }
}

/**
 * Cheap, and always right where there is none.
 * @param {{ controlDir: string | null, group: string }} of
 */
function hasMetricsState ({ controlDir, group }) {
  return controlDir !== null && fs.existsSync(path.join(controlDir, folderOf(group)))
}

/** @param {string} group */
function folderOf (group) {
  return `metrics-${createHash('sha256').update(group).digest('hex').slice(0, 16)}`
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
 * @returns {Totals | null}
 */
function read (directory, number) {
  try {
    return JSON.parse(fs.readFileSync(fileOf(directory, number), 'utf8'))
  } catch {
    return null // removed meanwhile: then its successor is there, and what is made of this one is refused; or spoilt by a crash of the system
  }
}

/**
 * @param {string} directory
 * @param {number} number
 * @param {Totals} totals
 * @returns {boolean} false: somebody else was faster
 */
function put (directory, number, totals) {
  const text = JSON.stringify(totals)
  if (text.length > MAX_BYTES) throw new Error(`the counters of the group are more than ${MAX_BYTES} bytes`)
  // By chance, too: in two containers this process's id may be another one's.
  const unfinished = path.join(directory, `unfinished-${process.pid}-${randomBytes(6).toString('hex')}`)
  fs.writeFileSync(unfinished, text, { mode: OWNER_ONLY, flag: 'wx' })
  try {
    fs.linkSync(unfinished, fileOf(directory, number))
    // One that was held up for long may have taken a number that was removed.
    return latest(directory) === number || undo(fileOf(directory, number))
  } catch (error) {
    // Removed: by somebody to whom this process seems dead, being in another container.
    if (['EEXIST', 'ENOENT'].includes(String(/** @type {NodeJS.ErrnoException} */ (error).code))) return false
    throw error
  } finally {
    fs.rmSync(unfinished, { force: true })
  }
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
    if (number <= newest - KEPT || !isAlive(maker)) fs.rmSync(path.join(directory, name), { force: true })
  }
}

/**
 * @param {string} directory
 * @param {number} number
 */
function fileOf (directory, number) {
  return path.join(directory, `${number}.json`)
}

module.exports = { createMetricsState, hasMetricsState }
