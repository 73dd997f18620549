'use strict'

// Formats which code allocates what stays in memory. Pure.

const { showBytes } = require('../../base/sizes')
const { localTime } = require('../../base/local-time')
const { tableLines } = require('./table')
const { printable } = require('../../base/printable')
const { showLocation } = require('./display')

/** @import { AllocationSite, AllocationSites } from '../../../types/memory' */

const MAX_ROWS = 20 // --json has all of them

/** @type {import('./table').Column[]} */
const COLUMNS = [
  { title: 'KEEPS', isNumber: true, cell: ({ bytes }) => showBytes(bytes) },
  { title: 'GROWS BY', isNumber: true, cell: ({ verdict, bytesPerMinute }) => verdict === 'stays' ? `${showBytes(bytesPerMinute)}/min` : '-' },
  { title: 'A REQUEST', isNumber: true, cell: ({ bytesPerRequest }) => bytesPerRequest === null ? '-' : showBytes(bytesPerRequest) },
  { title: 'WHAT', cell: ({ kind, holder, thread }) => [kind === 'heap' ? 'objects' : 'Buffers', ...holder === null ? [] : [`(${holder})`], ...thread === null ? [] : [`in ${thread}`]].join(' ') },
  { title: 'AGE', cell: ({ verdict, byBirth }) => `${bar(byBirth)} ${verdict}` },
  { title: 'ROUTE', cell: ({ route }) => route ?? '-' },
  { title: 'ALLOCATED IN', endsWithLocation: true, cell: site => [showLocation(site), ...calledFrom(site)].join(', ') }
]

/**
 * @param {AllocationSites} answer
 * @param {number | undefined} width
 * @returns {string[]}
 */
function siteLines ({ fromMs, toMs, isArmed, reason, sites, heap, buffers }, width) {
  const why = reason === 'growth' ? ', because memory grows' : ''
  const lines = [`allocations of ${Math.round((toMs - fromMs) / 1e3)} s that are alive, sampled ${isArmed ? 'until now' : `at ${localTime(toMs)}`}${why}; the age is from the oldest to the newest`]
  if (sites.length === 0) return [...lines, 'nothing that was allocated in that time is alive']
  return [
    ...lines,
    ...tableLines(COLUMNS, sites.slice(0, MAX_ROWS), width),
    ...heap === null ? [] : [restLine('objects', heap)],
    ...buffers === null ? [] : [restLine('Buffers', buffers) + (buffers.grownBytes === null ? '' : `; all Buffers of the process: ${buffers.grownBytes < 0 ? '' : '+'}${showBytes(buffers.grownBytes)}`)]
  ].map(printable)
}

/**
 * @param {string} what
 * @param {{ attributedBytes: number, sampledBytes: number }} sums
 */
function restLine (what, { attributedBytes, sampledBytes }) {
  const rest = sampledBytes - attributedBytes
  return `${what}: ${showBytes(sampledBytes)} alive${rest > 0 ? `, ${showBytes(rest)} of that without code of the application on the stack` : ''}`
}

/** @param {AllocationSite} site */
function calledFrom ({ caller, through, keptAt }) {
  return [...keptAt === null ? [] : [`probably kept at ${keptAt.file}:${keptAt.line}`], ...caller === null ? [] : [`called from ${showLocation(caller)}`], ...through === null ? [] : [`through ${through}`]]
}

/** @param {number[]} byBirth */
function bar (byBirth) {
  const most = Math.max(1, ...byBirth)
  return byBirth.map(bytes => bytes === 0 ? '.' : '▁▂▃▄▅▆▇█'[Math.min(7, Math.floor(bytes / most * 8))]).join('')
}

module.exports = { siteLines }
