'use strict'

// Formats a comparison of heap snapshots as one HTML file: the headline, the suspects with their retainer paths, and a table of classes that can be
// sorted and searched.

const { createPage, escapeHtml, jsonForHtml } = require('../../base/html-page')
const { localTimeWithZone } = require('../../base/local-time')
const { showBytes, showChange } = require('../../base/sizes')
const { subjectOf } = require('../suspects/headline')
const { showBalance, showHoldings, showPath } = require('./display')

/** @import { HeapReport } from '../comparison/compare-files' */
/** @import { Suspect } from '../suspects/suspects' */

const PARTS = Object.freeze({ body: 'heap-report/page.html', styles: ['heap-report/page.css'], scripts: ['heap-report/page.js'] })

/** @type {import('../../base/html-page').Page | undefined} */
let page

/**
 * @param {HeapReport} report
 * @returns {Buffer}
 */
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
  return `<li class="suspect ${confidence}">
<h3>${escapeHtml(subjectOf(suspect))}</h3>
<p class="growth"><meter min="0" max="100" value="${Math.max(0, Math.min(100, percent))}" aria-label="share of the growth">${percent} %</meter>
<b>${showChange(growthBytes)}</b> (${percent} % of the growth), retains ${showBytes(keptBytes)} now</p>
<p><span class="confidence">confidence ${confidence}</span> ${escapeHtml(reasons.join('; '))}</p>
<p>Gained ${escapeHtml(showHoldings(suspect))}.</p>
${what === null ? '' : `<p>It is: ${escapeHtml(what)}.</p>`}
${patterns.map(text => `<p class="hint">${escapeHtml(text)}</p>`).join('\n')}
${steps.length === 0 ? '' : pathHtml(steps, signature, confidence !== 'low')}
</li>`
}

/**
 * @param {Suspect['path']} steps
 * @param {string} signature
 * @param {boolean} isOpen
 */
function pathHtml (steps, signature, isOpen) {
  return `<details${isOpen ? ' open' : ''}><summary>Retained by <code>${escapeHtml(signature)}</code></summary>
<ol>${showPath(steps).map(step => `<li>${escapeHtml(step)}</li>`).join('')}</ol></details>`
}

module.exports = { renderReport }
