'use strict'

// The difference of two CPU profiles: what got hotter.

const { readProfile } = require('../files/profile-file')
const { tableLines } = require('../output/table')
const { diffProfiles } = require('../../shared/formats/differences/cpu-profile')

/** @import { Invocation } from '../commands' */

const MAX_ROWS = 30

/** @param {Invocation} invocation */
async function run ({ positionals: [before, after], values, terminal }) {
  const difference = diffProfiles(readProfile(before), readProfile(after), values.root ? { appRoot: values.root } : {})
  if (values.json) return terminal.json(difference)
  const { rows } = difference
  terminal.line(`time at work: ${timeOf(difference.before)} before, ${timeOf(difference.after)} after`)
  for (const line of tableLines([
    { title: 'CHANGE', isNumber: true, cell: ({ selfChange }) => signed(selfChange) },
    { title: 'SELF BEFORE', isNumber: true, cell: ({ selfBefore }) => percent(selfBefore) },
    { title: 'AFTER', isNumber: true, cell: ({ selfAfter }) => percent(selfAfter) },
    { title: 'TOTAL BEFORE', isNumber: true, cell: ({ totalBefore }) => percent(totalBefore) },
    { title: 'AFTER', isNumber: true, cell: ({ totalAfter }) => percent(totalAfter) },
    { title: 'FUNCTION', cell: ({ name, place }) => `${name} ${place}` }
  ], rows.slice(0, MAX_ROWS), terminal.columns())) terminal.line(line)
  if (rows.length > MAX_ROWS) terminal.note(`${rows.length - MAX_ROWS} more; --json has them all`)
}

/** @param {{ busyMs: number, totalMs: number }} times */
function timeOf ({ busyMs, totalMs }) {
  return `${(busyMs / 1e3).toFixed(2)} s of ${(totalMs / 1e3).toFixed(2)} s`
}

/** @param {number} share */
function percent (share) {
  return `${(share * 100).toFixed(1)} %`
}

/** @param {number} share */
function signed (share) {
  return `${share > 0 ? '+' : ''}${percent(share)}`
}

module.exports = { options: ['json', 'root'], max: 2, run }
