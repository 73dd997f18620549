'use strict'

// Names that a process holds while it lives, through the file system: a name is a directory with one empty file named after the process. A rename
// makes it atomic, whether the name is free or its holder is dead. Nothing has to be released, and a killed process leaves nothing to clean up.

const fs = require('node:fs')
const path = require('node:path')
const { attempt } = require('../../base/guard')
const { isAlive, processStart } = require('../../base/system/process-ids')

const MAX_TRIES = 10 // others take and lose the name at the same moment

/** @param {number} pid */
function identityOf (pid) {
  return `${pid}-${processStart(pid)}`
}

/** @param {string} identity */
function isRunning (identity) {
  const pid = Number(identity.split('-')[0])
  return isAlive(pid) && identityOf(pid) === identity
}

/**
 * @param {string} directory  of this user only
 * @param {string} name
 * @param {string} [me]
 * @returns {string | null} its holder; null: this process
 */
function claim (directory, name, me = identityOf(process.pid)) {
  const folder = path.join(directory, name)
  for (let attempt = 0; attempt < MAX_TRIES; attempt++) {
    const holder = holderOf(folder)
    if (holder === me) return null
    if (holder !== null && isRunning(holder)) return holder
    if (holder === null ? make(folder, me) : replace(folder, holder, me)) return null
  }
  return 'another process'
}

/** @param {string} folder */
function holderOf (folder) {
  return attempt(() => fs.readdirSync(folder)[0] ?? null, null)
}

/** @param {string} folder @param {string} me @returns {boolean} false: another process was faster */
function make (folder, me) {
  const made = fs.mkdtempSync(`${folder}.`)
  try {
    fs.writeFileSync(path.join(made, me), '', { mode: 0o600 })
    fs.renameSync(made, folder) // refused where there is one that is not empty
    return true
  } catch {
    fs.rmSync(made, { recursive: true, force: true })
    return false
  }
}

/**
 * @param {string} folder
 * @param {string} dead
 * @param {string} me
 * @returns {boolean} false: another process was faster
 */
function replace (folder, dead, me) {
  try {
    fs.renameSync(path.join(folder, dead), path.join(folder, me))
    return true
  } catch {
    return false
  }
}

module.exports = { claim, identityOf, isRunning }
