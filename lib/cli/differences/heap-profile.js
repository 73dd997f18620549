'use strict'

// The difference of two heap profiles: which functions allocated more.

const { createWrittenCode, readHeapProfile } = require('../profile-file')
const { printRows } = require('./shown-rows')
const { showBytes } = require('../../shared/base/sizes')
const { diffHeapProfiles } = require('../../shared/formats/differences/heap-profile')

/** @import { Invocation } from '../commands' */

const LEAST_SHARE = 0.005 // less is noise of the samples

/** @type {import('../output/table').Column[]} */
const COLUMNS = [
  { title: 'CHANGE', isNumber: true, cell: ({ selfChange }) => signed(selfChange) },
  { title: 'SELF BEFORE', isNumber: true, cell: ({ selfBefore }) => showBytes(selfBefore) },
  { title: 'AFTER', isNumber: true, cell: ({ selfAfter }) => showBytes(selfAfter) },
  { title: 'TOTAL CHANGE', isNumber: true, cell: ({ totalChange }) => signed(totalChange) },
  { title: 'FUNCTION', endsWithPlace: true, cell: ({ name, place }) => `${name} ${place}` }
]

/** @param {Invocation} invocation */
async function run ({ positionals: files, values, terminal }) {
  const written = createWrittenCode({ values, terminal })
  const [before, after] = await Promise.all(files.map(file => written.heapProfile(readHeapProfile(file))))
  const { beforeBytes, afterBytes, rows } = diffHeapProfiles(before, after, values.root ? { appRoot: values.root } : {})
  if (values.json) return terminal.json({ beforeBytes, afterBytes, rows })
  terminal.line(`sampled: ${showBytes(beforeBytes)} before, ${showBytes(afterBytes)} after`)
  printRows(rows, { values, terminal }, {
    columns: COLUMNS,
    changeOf: ({ selfChange, totalChange }) => Math.max(Math.abs(selfChange), Math.abs(totalChange)),
    least: Math.max(beforeBytes, afterBytes) * LEAST_SHARE,
    leastInWords: 'changed by less than 0.5 % of the memory'
  })
}

/** @param {number} bytes */
function signed (bytes) {
  return bytes < 0 ? `-${showBytes(-bytes)}` : `+${showBytes(bytes)}`
}

module.exports = { options: ['root', 'sources'], max: 2, run }
