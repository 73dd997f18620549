'use strict'

// The part of the flame graph page that needs no script: what was recorded, and whose time it was.

const { escapeHtml } = require('../../base/html-page')
const { summarizeTime } = require('../profile/time-kinds')

/** @import { CpuProfile, EncodeContext } from '../../../../types/profile' */
/** @import { CallTree } from '../profile/call-tree' */

/**
 * @param {CpuProfile} profile
 * @param {CallTree} root
 * @param {EncodeContext} context
 */
function headerHtml ({ samples }, root, { title = 'CPU profile', startedAt, notes = [] }) {
  const facts = [
    ...(startedAt === undefined ? [] : [timeHtml(startedAt)]),
    `${(root.totalMicros / 1e6).toFixed(2)} s`,
    `${samples.length} samples`
  ]
  return [
    `<h1>${escapeHtml(title)}</h1>`,
    `<p class="facts">${facts.join(' · ')}</p>`,
    ...notes.map(note => `<p class="note">${escapeHtml(note)}</p>`),
    root.totalMicros > 0 ? sharesHtml(root) : '<p class="empty">The profile holds no samples: nothing was recorded in this time.</p>'
  ].join('\n')
}

/** @param {number} epochMs */
function timeHtml (epochMs) {
  const iso = new Date(epochMs).toISOString()
  return `<time datetime="${iso}">${iso.slice(0, 19).replace('T', ' ')} UTC</time>`
}

/** @param {CallTree} root */
function sharesHtml (root) {
  const { javascript, native, gc, idle } = summarizeTime(root)
  const shares = [
    { name: 'JavaScript', kind: 'javascript', percent: 100 * javascript / root.totalMicros },
    { name: 'Native', kind: 'native', percent: 100 * native / root.totalMicros },
    { name: 'GC', kind: 'gc', percent: 100 * gc / root.totalMicros },
    { name: 'Idle', kind: 'idle', percent: 100 * idle / root.totalMicros }
  ]
  let leftPercent = 0
  const bars = shares.map(({ kind, percent }) => {
    const bar = `<rect class="${kind}" x="${leftPercent.toFixed(2)}%" width="${percent.toFixed(2)}%" height="100%"/>`
    leftPercent += percent
    return bar
  })
  // Widths are attributes of SVG because the page's policy forbids style attributes.
  return `<svg class="shares" aria-hidden="true">${bars.join('')}</svg>
<dl class="shares">${shares.map(({ name, kind, percent }) =>
    `<div><dt class="${kind}">${name}</dt><dd>${percent.toFixed(1)} %</dd></div>`).join('')}</dl>`
}

module.exports = { headerHtml }
