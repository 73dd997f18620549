'use strict'

// The difference of two CPU profiles: what got hotter, as rows; with -o and a name that ends in .html as a flame graph.

const { createWrittenCode, ofRoute, readProfile } = require('../profile-file')
const { printRows } = require('./shown-rows')
const { diffProfiles } = require('../../shared/formats/differences/cpu-profile')

/** @import { CpuProfile } from '../../../types/profile' */
/** @import { Invocation } from '../commands' */

const LEAST_SHARE = 0.005 // less is noise of the samples

/** @type {import('../output/table').Column[]} */
const COLUMNS = [
  { title: 'CHANGE', isNumber: true, cell: ({ selfChange }) => signed(selfChange) },
  { title: 'SELF BEFORE', isNumber: true, cell: ({ selfBefore }) => percent(selfBefore) },
  { title: 'AFTER', isNumber: true, cell: ({ selfAfter }) => percent(selfAfter) },
  { title: 'TOTAL BEFORE', isNumber: true, cell: ({ totalBefore }) => percent(totalBefore) },
  { title: 'AFTER', isNumber: true, cell: ({ totalAfter }) => percent(totalAfter) },
  { title: 'FUNCTION', endsWithPlace: true, cell: ({ name, place }) => `${name} ${place}` }
]

/** @param {Invocation} invocation */
async function run ({ positionals: files, values, terminal }) {
  const written = createWrittenCode({ values, terminal })
  const parts = files.map(file => ofRoute(file, readProfile(file), values.route))
  const [before, after] = await Promise.all(parts.map(({ profile }) => written.profile(profile)))
  const notes = parts.flatMap((part, index) => part.notes.map(note => `${files[index]}: ${note}`))
  const titles = { before: files[0], after: files[1] }
  return tellDifference(before, after, { ...(values.root && { appRoot: values.root }), titles, notes }, { values, terminal })
}

/**
 * @param {CpuProfile} before
 * @param {CpuProfile} after
 * @param {{ appRoot?: string, titles: { before: string, after: string }, notes: string[] }} context  titles and notes: of the flame graph
 * @param {Pick<Invocation, 'values' | 'terminal'>} invocation
 */
function tellDifference (before, after, { titles, notes, ...context }, { values, terminal }) {
  if (!values.json && /\.html$/i.test(values.output ?? '')) {
    const { encodeFlameGraphDifference } = require('../../shared/formats/flamegraph')
    return terminal.file(encodeFlameGraphDifference(before, after, { ...context, titles, notes }))
  }
  const difference = diffProfiles(before, after, context)
  if (values.json) return terminal.json(difference)
  const { rows } = difference
  terminal.line(`time at work: ${timeOf(difference.before)} before, ${timeOf(difference.after)} after`)
  printRows(rows, { values, terminal }, {
    columns: COLUMNS,
    changeOf: ({ selfChange, totalChange }) => Math.max(Math.abs(selfChange), Math.abs(totalChange)),
    least: LEAST_SHARE,
    leastInWords: 'changed by less than 0.5 % of the time at work'
  })
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

module.exports = { options: ['root', 'route', 'sources'], max: 2, tellDifference, run }
