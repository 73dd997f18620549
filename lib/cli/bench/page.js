'use strict'

// Renders a comparison of two benchmarks as one HTML file: the figures with their rounds, the findings, the functions and the flame
// graphs.

const { showMicros, showSpread } = require('./figures')
const { describe, explain, nameOf, roundsOf, targetOf } = require('./format-text')
const { createPage, escapeHtml, jsonForHtml } = require('../../base/html-page')
const { LABELS } = require('../../shared/findings/show')
const { describeDifference } = require('../../formats/flamegraph/difference')
const { describeTimes } = require('../../formats/flamegraph/graph')
const { FRAMES, loadLibraries } = require('../../formats/flamegraph/libraries')
const { buildCallTree } = require('../../formats/profile/call-tree')

/** @import { Comparison, FigureChange, FindingChange, FunctionChange } from './compare' */
/** @import { Spread } from './figures' */
/** @import { Bench } from './result-file' */

const PARTS = Object.freeze({
  body: 'bench-report/page.html',
  styles: [...FRAMES.styles, 'bench-report/page.css'],
  scripts: [...FRAMES.scripts, 'bench-report/page.js']
})

const [FIRST, LAST] = [1, 98] // range of a chart in percent of the width, so that no dot is cut
const ROWS = Object.freeze({ before: 10, after: 25 })
const MIDDLE_HEIGHT = 7

/** @param {Comparison} comparison @returns {Buffer} */
function renderComparison (comparison) {
  const { before, after, warnings, figures, chance, functions } = comparison
  const headline = `What changed: ${targetOf(after.bench)}`
  const page = createPage(PARTS, { scripts: [loadLibraries()] })
  return Buffer.from(page.asFile(headline, {
    headline: escapeHtml(headline),
    facts: factHtml('before', before) + factHtml('after', after),
    warnings: warnings.map(warning => `<p class="note">${escapeHtml(warning)}</p>`).join('\n'),
    figures: figures.map(figureHtml).join('\n'),
    rule: escapeHtml(explain(chance)),
    findings: findingsHtml(comparison.findings),
    functions: functions === null ? '<p>One of the two benchmarks has no profile.</p>' : functionsHtml(functions),
    graphs: jsonForHtml(graphsOf(before.bench, after.bench))
  }))
}

/** @param {string} side @param {Comparison['before']} read */
function factHtml (side, { file, bench }) {
  return `<p class="facts">${side}: ${escapeHtml(file)}, ${escapeHtml(describe(bench))}</p>\n`
}

/** @param {FigureChange} change */
function figureHtml (change) {
  const { before, after, ratio, verdict } = change
  const kind = verdict === 'better' || verdict === 'worse' ? verdict : 'none'
  return `<li><b>${escapeHtml(nameOf(change))}</b>
${chartSvg(change)}
<span><small>before</small>${showSpread(before)}</span>
<span><small>after</small>${showSpread(after)}</span>
<span><small>after / before</small>${ratio === null ? '-' : showSpread(ratio)}</span>
<span class="verdict ${kind}">${verdict}</span></li>`
}

/** The rounds of a figure as dots on an axis that begins at 0, before above after. @param {FigureChange} change */
function chartSvg ({ before, after, valuesBefore, valuesAfter }) {
  const most = Math.max(before.max, after.max)
  const xOf = (/** @type {number} */ value) => `${(FIRST + (LAST - FIRST) * value / most).toFixed(2)}%`
  const label = `before ${showSpread(before)}, after ${showSpread(after)}`
  return `<svg role="img" aria-label="${label}"><line class="axis" x1="${FIRST}%" x2="${FIRST}%" y1="2" y2="33"/>` +
    `${rowSvg('before', before, valuesBefore, xOf)}${rowSvg('after', after, valuesAfter, xOf)}</svg>`
}

/**
 * @param {keyof typeof ROWS} side
 * @param {Spread} spread
 * @param {readonly number[]} values
 * @param {(value: number) => string} xOf
 */
function rowSvg (side, { min, median, max }, values, xOf) {
  const y = ROWS[side]
  const dots = values.map(value => `<circle cx="${xOf(value)}" cy="${y}" r="3.5"/>`).join('')
  return `<g class="${side}"><line class="range" x1="${xOf(min)}" x2="${xOf(max)}" y1="${y}" y2="${y}"/>${dots}` +
    `<line class="middle" x1="${xOf(median)}" x2="${xOf(median)}" y1="${y - MIDDLE_HEIGHT}" y2="${y + MIDDLE_HEIGHT}"/></g>`
}

/** @param {Comparison['findings']} findings */
function findingsHtml ({ gone, came, stayed }) {
  const groups = [
    { title: 'Gone', className: 'gone', changes: gone },
    { title: 'New', className: 'came', changes: came },
    { title: 'Remaining', className: 'stayed', changes: stayed }
  ].filter(({ changes }) => changes.length > 0)
  if (groups.length === 0) return '<p>No findings, neither before nor after.</p>'
  return groups.map(({ title, className, changes }) =>
    `<h3>${title}</h3>\n<ul class="findings ${className}">\n${changes.map(findingHtml).join('\n')}\n</ul>`).join('\n')
}

/** @param {FindingChange} change */
function findingHtml (change) {
  const { severity, title, instead } = change.finding
  const isKnown = Object.hasOwn(LABELS, severity)
  const label = isKnown ? LABELS[severity] : ''
  return `<li class="${isKnown ? severity : ''}"><b class="label">${label}</b> ${escapeHtml(title)}
<p>${escapeHtml(instead)}</p>
<p>${escapeHtml(roundsOf(change))}</p></li>`
}

/** @param {NonNullable<Comparison['functions']>} functions */
function functionsHtml ({ hotter, colder }) {
  const tables = [{ title: 'Hotter', rows: hotter }, { title: 'Colder', rows: colder }].filter(({ rows }) => rows.length > 0)
  if (tables.length === 0) return '<p>No function changed.</p>'
  return tables.map(({ title, rows }) => `<h3>${title}, in time of the main thread per request</h3>
<div class="scroll"><table class="functions"><thead><tr><th>change</th><th>before</th><th>after</th><th>function</th></tr></thead>
<tbody>${rows.map(functionHtml).join('\n')}</tbody></table></div>`).join('\n')
}

/** @param {FunctionChange} row */
function functionHtml ({ name, place, before, after, change }) {
  const cells = [showMicros(change, { isChange: true }), showMicros(before), showMicros(after)]
  return `<tr>${cells.map(cell => `<td>${cell}</td>`).join('')}<td>${escapeHtml(name)} <small>${escapeHtml(place)}</small></td></tr>`
}

/**
 * @param {Bench} before
 * @param {Bench} after
 * @returns {{ name: string, graph: import('../../formats/flamegraph/graph').Graph }[]} to choose from; the first one is shown
 */
function graphsOf (before, after) {
  const [earlier, later] = [before, after].map(({ profile, application }) => profile && buildCallTree(profile.profile, { appRoot: application.root }))
  return [
    ...(earlier && later ? [{ name: 'Difference', graph: describeDifference(earlier, later) }] : []),
    ...(later ? [{ name: 'After', graph: describeTimes(later) }] : []),
    ...(earlier ? [{ name: 'Before', graph: describeTimes(earlier) }] : [])
  ]
}

module.exports = { renderComparison }
