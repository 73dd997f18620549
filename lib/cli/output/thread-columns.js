'use strict'

// The table of worker threads that are watched.

const { showDuration, showPlace } = require('./display')

/** @type {readonly import('./table').Column[]} */
const THREAD_COLUMNS = Object.freeze([
  { title: 'THREAD', cell: ({ name }) => name },
  { title: 'BUSY', isNumber: true, cell: ({ busyMs, observedMs }) => observedMs === 0 ? '-' : `${(busyMs / observedMs * 100).toFixed(0)} %` },
  { title: 'LONGEST', isNumber: true, cell: ({ longestMs }) => longestMs === 0 ? '-' : showDuration(longestMs) },
  { title: 'STALLS', isNumber: true, cell: ({ stalls }) => String(stalls) },
  { title: 'MOSTLY IN', endsWithPlace: true, cell: ({ top, problem }) => problem === null ? showPlace(top) : `not seen: ${problem}` }
])

module.exports = { THREAD_COLUMNS }
