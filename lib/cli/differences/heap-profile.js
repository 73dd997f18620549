'use strict'

// The difference of two heap profiles: which functions allocated more.

const { readHeapProfile } = require('../files/profile-file')
const { tableLines } = require('../output/table')
const { showBytes } = require('../../shared/base/sizes')
const { diffHeapProfiles } = require('../../shared/formats/differences/heap-profile')

/** @import { Invocation } from '../commands' */

const MAX_ROWS = 30

/** @param {Invocation} invocation */
async function run ({ positionals: files, values, terminal }) {
  const [before, after] = files.map(readHeapProfile)
  const { beforeBytes, afterBytes, rows } = diffHeapProfiles(before, after, values.root ? { appRoot: values.root } : {})
  if (values.json) return terminal.json({ beforeBytes, afterBytes, rows })
  terminal.line(`sampled: ${showBytes(beforeBytes)} before, ${showBytes(afterBytes)} after`)
  for (const line of tableLines([
    { title: 'CHANGE', isNumber: true, cell: ({ selfChange }) => signed(selfChange) },
    { title: 'SELF BEFORE', isNumber: true, cell: ({ selfBefore }) => showBytes(selfBefore) },
    { title: 'AFTER', isNumber: true, cell: ({ selfAfter }) => showBytes(selfAfter) },
    { title: 'TOTAL CHANGE', isNumber: true, cell: ({ totalChange }) => signed(totalChange) },
    { title: 'FUNCTION', cell: ({ name, place }) => `${name} ${place}` }
  ], rows.slice(0, MAX_ROWS), terminal.columns())) terminal.line(line)
  if (rows.length > MAX_ROWS) terminal.note(`${rows.length - MAX_ROWS} more; --json has them all`)
}

/** @param {number} bytes */
function signed (bytes) {
  return bytes < 0 ? `-${showBytes(-bytes)}` : `+${showBytes(bytes)}`
}

module.exports = { options: ['json', 'root'], max: 2, run }
