'use strict'

// The difference of two heap histograms: of which constructor there are more objects.

const { Failure } = require('../failure')
const { readJson } = require('../profile-file')
const { printRows } = require('./shown-rows')
const { diffHistograms, isHistogram } = require('../../shared/formats/differences/heap-histogram')

/** @import { Invocation } from '../commands' */

const WANTED = 'a heap histogram, as `loopscope heap --kind histogram` writes it'

/** @type {import('../output/table').Column[]} */
const COLUMNS = [
  { title: 'CHANGE', isNumber: true, cell: ({ change }) => `${change > 0 ? '+' : ''}${change}` },
  { title: 'BEFORE', isNumber: true, cell: row => String(row.before) },
  { title: 'AFTER', isNumber: true, cell: row => String(row.after) },
  { title: 'CONSTRUCTOR', cell: ({ name }) => name }
]

/** @param {Invocation} invocation */
async function run ({ positionals: files, values, terminal }) {
  const [before, after] = files.map(read)
  const difference = diffHistograms(before, after)
  if (values.json) return terminal.json(difference)
  const { isSameProcess, isComplete, total, rows } = difference
  if (!isSameProcess) terminal.note('They are of two processes.')
  if (!isComplete) {
    terminal.note('Too many constructors: those with the fewest objects are together in _other, and a row may only have left it.')
  }
  terminal.line(`${total.before.toLocaleString('en')} objects before, ${total.after.toLocaleString('en')} after`)
  printRows(rows, { values, terminal }, {
    columns: COLUMNS,
    changeOf: ({ change }) => Math.abs(change),
    least: 1,
    leastInWords: 'did not change'
  })
}

/** @param {string} file */
function read (file) {
  const histogram = readJson(file, WANTED)
  if (!isHistogram(histogram)) throw new Failure('failed', `${file} is not a heap histogram.`, `Wanted ${WANTED}.`)
  return histogram
}

module.exports = { options: [], max: 2, run }
