'use strict'

// The totals of a group, stored in the control directory, because no process has a special role.

const { createHash } = require('node:crypto')
const fs = require('node:fs')
const path = require('node:path')
const { holdControlDirectory } = require('../../shared/admin/control-directory')
const { toTotals } = require('./totals')
const { readState, updateState } = require('../store/versioned-file')

/** @import { Totals } from './totals' */

/**
 * All methods throw if the directory is not trustworthy, or not writable.
 * @param {{ controlDir: string, group: string }} parts
 */
function createMetricsState ({ controlDir, group }) {
  const folder = folderOf(group)

  /** @template T @param {(directory: string) => T} work @returns {T} */
  function within (work) {
    const { name, release } = holdControlDirectory(controlDir)
    try {
      return work(path.join(name, folder))
    } finally {
      release()
    }
  }

  return {
    /** @returns {Totals | null} null: nothing was ever stored */
    read () {
      const kept = within(readState)
      return kept === null ? null : toTotals(kept)
    },

    /** @param {(totals: Totals) => Totals} change @returns {Totals} the new totals */
    update (change) {
      return within(directory => updateState(directory, kept => ({ state: change(toTotals(kept)) })).state)
    },

    remove () {
      within(directory => fs.rmSync(directory, { recursive: true, force: true }))
    }
  }
}

/** Cheap; when it returns false there is certainly none. @param {{ controlDir: string | null, group: string }} of */
function hasMetricsState ({ controlDir, group }) {
  return controlDir !== null && fs.existsSync(path.join(controlDir, folderOf(group)))
}

/** @param {string} group */
function folderOf (group) {
  return `metrics-${createHash('sha256').update(group).digest('hex').slice(0, 16)}`
}

module.exports = { createMetricsState, hasMetricsState }
