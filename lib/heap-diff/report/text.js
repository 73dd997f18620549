'use strict'

// Formats a comparison of heap snapshots as text, for a terminal or a ticket.

const { printable } = require('../../base/printable')
const { showBytes, showChange, showCount } = require('../../base/sizes')
const { subjectOf } = require('../suspects/headline')
const { showBalance, showHoldings, showPath } = require('./display')

/** @import { HeapReport, ReportedClass } from '../comparison/compare-files' */
/** @import { Suspect } from '../suspects/suspects' */

const MAX_CLASSES = 20
const MAX_SUSPECTS = 3
const MAX_NAME_CHARS = 50

/** @type {readonly { title: string, cell: (row: ReportedClass) => string }[]} */
const COLUMNS = Object.freeze([
  { title: '# New', cell: ({ newCount }) => showCount(newCount) },
  { title: '# Deleted', cell: ({ deletedCount }) => showCount(deletedCount) },
  { title: '# Delta', cell: ({ newCount, deletedCount }) => showCount(newCount - deletedCount) },
  { title: 'Alloc. Size', cell: ({ allocatedBytes }) => showBytes(allocatedBytes) },
  { title: 'Freed Size', cell: ({ freedBytes }) => showBytes(freedBytes) },
  { title: 'Size Delta', cell: ({ allocatedBytes, freedBytes }) => showChange(allocatedBytes - freedBytes) },
  { title: '# Grown', cell: ({ grownCount }) => showCount(grownCount) },
  { title: 'Grown Size', cell: ({ grownBytes }) => showChange(grownBytes) },
  { title: 'Retained Delta', cell: ({ retainedDeltaBytes }) => showChange(retainedDeltaBytes) }
])

/**
 * @param {HeapReport} report
 * @param {{ withNoise?: boolean, maxClasses?: number }} [options]
 * @returns {string[]} lines
 */
function reportLines (report, { withNoise = false, maxClasses = MAX_CLASSES } = {}) {
  const { headline, incomparable, suspects, codeGrowthBytes } = report
  const totalsOnly = [`Not compared object by object: ${incomparable}.`, 'The table shows the difference of the totals of each class.', '']
  return [
    headline,
    '',
    ...(incomparable === null ? [] : totalsOnly),
    ...suspects.slice(0, MAX_SUSPECTS).flatMap((suspect, at) => suspectLines(suspect, at + 1)),
    ...tableLines(report.classes, { withNoise, maxClasses }),
    '',
    showBalance(report),
    ...(incomparable === null ? [`of which compiled code and shapes: ${showChange(codeGrowthBytes)}`] : [])
  ].map(printable)
}

/**
 * @param {Suspect} suspect
 * @param {number} rank
 */
function suspectLines (suspect, rank) {
  const { growthBytes, share, keptBytes, confidence, reasons, what, patterns, path, signature } = suspect
  return [
    `${rank}. ${subjectOf(suspect)}: ${showChange(growthBytes)} (${Math.round(share * 100)} %), retains ${showBytes(keptBytes)} now`,
    `   confidence ${confidence}: ${reasons.join('; ')}`,
    `   gained ${showHoldings(suspect)}`,
    ...(what === null ? [] : [`   it is: ${what}`]),
    ...patterns.map((text, at) => `   ${at === 0 ? 'usual cure' : 'or'}: ${text}`),
    ...(path.length === 0 ? [] : [`   retained by (${signature}):`]),
    ...showPath(path).map(step => `     ${step}`),
    ''
  ]
}

/**
 * @param {readonly ReportedClass[]} classes
 * @param {{ withNoise: boolean, maxClasses: number }} options
 */
function tableLines (classes, { withNoise, maxClasses }) {
  const wanted = withNoise ? classes : classes.filter(({ isNoise }) => !isNoise)
  const shown = wanted.slice(0, maxClasses)
  const cells = [COLUMNS.map(({ title }) => title), ...shown.map(row => COLUMNS.map(({ cell }) => cell(row)))]
  const widths = COLUMNS.map((_, index) => Math.max(...cells.map(row => row[index].length)))
  const names = ['Class', ...shown.map(({ name }) => shorten(name))]
  const lines = cells.map((row, at) => [...row.map((cell, index) => cell.padStart(widths[index])), names[at]].join('  '))
  const rest = [
    wanted.length > shown.length ? `${wanted.length - shown.length} more classes` : '',
    wanted.length < classes.length ? `V8 internals hidden: ${classes.length - wanted.length}` : ''
  ].filter(text => text !== '')
  return rest.length === 0 ? lines : [...lines, rest.join(', ')]
}

/** @param {string} name */
function shorten (name) {
  return name.length > MAX_NAME_CHARS ? `${name.slice(0, MAX_NAME_CHARS - 1)}…` : name
}

module.exports = { reportLines }
