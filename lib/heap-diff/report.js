'use strict'

// Formats a comparison of heap snapshots: a headline of one sentence, as text for a terminal or a ticket, and as one HTML file with the suspects, their
// retainer paths, and a table of classes that can be sorted and searched.

const { createPage, escapeHtml, jsonForHtml } = require('../base/html-page')
const { localTimeWithZone } = require('../base/local-time')
const { showBytes, showChange, showCount } = require('../base/sizes')
const { printable } = require('../base/printable')
const { keptByText, shownClass } = require('./suspects/naming')
const { isOfApplication } = require('./suspects/retainer-path')

/** @import { HeapReport, ReportedClass } from './comparison/compare-files' */
/** @import { Suspect } from './suspects/suspects' */
/** @import { Place, Step } from './suspects/retainer-path' */

const PARTS = Object.freeze({ body: 'heap-report/page.html', styles: ['heap-report/page.css'], scripts: ['heap-report/page.js'] })
const MAX_CLASSES = 20
const MAX_SUSPECTS = 3
const MAX_NAME_CHARS = 50
const BYTES_PER_MB = 1e6

/** @type {import('../base/html-page').Page | undefined} */
let page

/** @param {HeapReport} report @returns {Buffer} */
function renderReport (report) {
  page ??= createPage(PARTS)
  return Buffer.from(page.asFile(report.headline, {
    headline: escapeHtml(report.headline),
    facts: escapeHtml(factsOf(report)),
    notes: notesOf(report).map(note => `<p class="note">${escapeHtml(note)}</p>`).join('\n'),
    suspects: report.suspects.map(suspectHtml).join('\n') || '<p>No object is suspicious.</p>',
    balance: escapeHtml(showBalance(report)),
    classes: jsonForHtml(report.classes)
  }))
}

/** @param {HeapReport} report */
function factsOf ({ snapshots }) {
  return snapshots.map(({ file, heapBytes, takenAt }) => {
    const taken = takenAt === null ? '' : `, ${localTimeWithZone(takenAt)}`
    return `${file}: ${showBytes(heapBytes)}${taken}`
  }).join(' → ')
}

/** @param {HeapReport} report */
function notesOf ({ incomparable, codeGrowthBytes }) {
  if (incomparable !== null) {
    return [`Not compared object by object: ${incomparable}. The table shows the difference of the totals of each class.`]
  }
  if (codeGrowthBytes <= 0) return []
  return [`Compiled code and shapes grew by ${showBytes(codeGrowthBytes)}: as long as they grow, the application is still warming up.`]
}

/** @param {Suspect} suspect */
function suspectHtml (suspect) {
  const { growthBytes, share, keptBytes, confidence, reasons, what, patterns, path: steps, signature } = suspect
  const percent = Math.round(share * 100)
  const kept = keptBy(suspect)
  return `<li class="suspect ${confidence}">
<h3>${escapeHtml(subjectOf(suspect))}</h3>
<p class="growth"><meter min="0" max="100" value="${Math.max(0, Math.min(100, percent))}" aria-label="share of the growth">${percent} %</meter>
<b>${showChange(growthBytes)}</b> (${percent} % of the growth), retains ${showBytes(keptBytes)} now</p>
<p><span class="confidence">confidence ${confidence}</span> ${escapeHtml(reasons.join('; '))}</p>
<p>Gained ${escapeHtml(showHoldings(suspect))}.</p>
${what === null ? '' : `<p>It is: ${escapeHtml(what)}.</p>`}
${patterns.map(text => `<p class="hint">${escapeHtml(text)}</p>`).join('\n')}
${kept === null ? '' : `<p>Kept by: ${escapeHtml(kept)}.</p>`}
${steps.length === 0 ? '' : pathHtml(steps, signature, confidence !== 'low')}
</li>`
}

/** @param {Suspect['path']} steps @param {string} signature @param {boolean} isOpen */
function pathHtml (steps, signature, isOpen) {
  return `<details${isOpen ? ' open' : ''}><summary>Retained by <code>${escapeHtml(signature)}</code></summary>
<ol>${showPath(steps).map(step => `<li>${escapeHtml(step)}</li>`).join('')}</ol></details>`
}

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

/** @param {Suspect} suspect @param {number} rank */
function suspectLines (suspect, rank) {
  const { growthBytes, share, keptBytes, confidence, reasons, what, patterns, path, signature } = suspect
  const kept = keptBy(suspect)
  return [
    `${rank}. ${subjectOf(suspect)}: ${showChange(growthBytes)} (${Math.round(share * 100)} %), retains ${showBytes(keptBytes)} now`,
    `   confidence ${confidence}: ${reasons.join('; ')}`,
    `   gained ${showHoldings(suspect)}`,
    ...(what === null ? [] : [`   it is: ${what}`]),
    ...patterns.map((text, at) => `   ${at === 0 ? 'usual cure' : 'or'}: ${text}`),
    ...(kept === null ? [] : [`   kept by: ${kept}`]),
    ...(path.length === 0 ? [] : [`   retained by (${signature}):`]),
    ...showPath(path).map(step => `     ${step}`),
    ''
  ]
}

/** @param {readonly ReportedClass[]} classes @param {{ withNoise: boolean, maxClasses: number }} options */
function tableLines (classes, { withNoise, maxClasses }) {
  const wanted = withNoise ? classes : classes.filter(({ isNoise }) => !isNoise)
  const shown = wanted.slice(0, maxClasses)
  const cells = [COLUMNS.map(({ title }) => title), ...shown.map(row => COLUMNS.map(({ cell }) => cell(row)))]
  const widths = COLUMNS.map((_, index) => Math.max(...cells.map(row => row[index].length)))
  const names = ['Class', ...shown.map(({ name }) => name.length > MAX_NAME_CHARS ? `${name.slice(0, MAX_NAME_CHARS - 1)}…` : name)]
  const lines = cells.map((row, at) => [...row.map((cell, index) => cell.padStart(widths[index])), names[at]].join('  '))
  const rest = [
    wanted.length > shown.length ? `${wanted.length - shown.length} more classes` : '',
    wanted.length < classes.length ? `V8 internals hidden: ${classes.length - wanted.length}` : ''
  ].filter(text => text !== '')
  return rest.length === 0 ? lines : [...lines, rest.join(', ')]
}

/** @param {Place | null} place */
function showPlace (place) {
  return place === null ? '' : `${place.file}:${place.line}`
}

/** @param {readonly Step[]} path */
function showPath (path) {
  return path.map(({ by, name, className, place }) => {
    const reference = by === 'entry' ? '[entry]' : by === 'variable' ? `variable ${name}` : by === 'internal' ? `{${name}}` : `.${name}`
    return `${reference} ${shownClass(className)}${place === null ? '' : ` (${showPlace(place)})`}`
  })
}

/** @param {Suspect} suspect */
function showHoldings ({ holds, functions, newObjects }) {
  const classes = holds.map(({ name, count, bytes, place }) => {
    const where = place === null ? '' : ` (${showPlace(place)})`
    return `${showCount(count)} ${shownClass(name)}${where} ${showBytes(bytes)}`
  })
  const created = functions.map(({ place, count }) => `${showCount(count)} functions created at ${showPlace(place)}`)
  return [`${showCount(newObjects)} new objects`, ...classes, ...created].join(', ')
}

/** The balance: how the growth of the heap is composed. @param {HeapReport} report */
function showBalance ({ balance, incomparable }) {
  const { heapDeltaBytes, sizeDeltaBytes, survivorGrowthBytes, otherBytes } = balance
  const exact = (/** @type {number} */ bytes) => `${bytes > 0 ? '+' : ''}${showCount(bytes)} B`
  const heap = `heap ${exact(heapDeltaBytes)}`
  if (incomparable !== null) return `${heap} = classes ${exact(sizeDeltaBytes)}, other ${exact(otherBytes)}`
  const growth = `growth of surviving objects ${exact(survivorGrowthBytes)}`
  return `${heap} = new minus deleted ${exact(sizeDeltaBytes)}, ${growth}, outside objects ${exact(otherBytes)}`
}

/** @param {Suspect} suspect */
function keptBy (suspect) {
  return keptByText(suspect.path, subjectOf(suspect), ({ place }) => place !== null && isOfApplication(place) ? `${showFile(place.file)}:${place.line}` : '')
}

/** @param {{ beforeBytes: number, afterBytes: number, suspects: readonly Suspect[] }} found */
function headlineOf ({ beforeBytes, afterBytes, suspects }) {
  const heap = `Heap ${megabytes(beforeBytes)} → ${megabytes(afterBytes)} MB.`
  const [first] = suspects
  if (first === undefined || first.confidence === 'low') {
    return `${heap} ${afterBytes > beforeBytes ? 'No object is suspicious.' : 'It did not grow.'}`
  }
  return `${heap} ${subjectOf(first)} explains ${megabytes(first.growthBytes)} MB (${Math.round(first.share * 100)} %)`
}

/** @param {Suspect} suspect */
function subjectOf ({ name, className, place, objects }) {
  const where = place === null ? '' : ` in ${showFile(place.file)}:${place.line}`
  const what = shownClass(className)
  const kind = objects > 1 ? `${objects} × ${what}` : what
  return name === className ? `${kind}${where}` : `\`${name}\` (${kind}${where})`
}

/** @param {number} bytes */
function megabytes (bytes) {
  return (bytes / BYTES_PER_MB).toFixed(1)
}

/**
 * The name of a file in a sentence: of a package's file with the package, since there are many of `index.js`.
 * @param {string} file  path or URL
 */
function showFile (file) {
  const parts = file.replaceAll('\\', '/').split('/')
  const modules = parts.lastIndexOf('node_modules')
  return modules === -1 ? parts[parts.length - 1] : parts.slice(modules + 1).join('/')
}

module.exports = { headlineOf, renderReport, reportLines, subjectOf }
