'use strict'

// Formats a CPU profile as a flame graph, one HTML file that needs no network, no server and no other file.
// Everything from the profile (names, paths, the title) is inserted as text or JSON, never as markup.

const { sum } = require('../base/sums')
const { createPage, escapeHtml, jsonForHtml } = require('../base/html-page')
const { localTimeWithZone } = require('../base/local-time')
const { describeDifference } = require('./flamegraph/difference')
const { describeTimes } = require('./flamegraph/graph')
const { FRAMES, loadLibraries } = require('./flamegraph/libraries')
const { buildCallTree } = require('./profile/call-tree')
const { describeTotal, kindOf, summarizeTime, timesByProcess } = require('./profile/time-kinds')

/** @import { CpuProfile, EncodeContext } from '../../types/profile' */
/** @import { ShownContext } from './formats' */
/** @import { Recorded } from './flamegraph/difference' */
/** @import { Graph } from './flamegraph/graph' */
/** @import { CallTree } from './profile/call-tree' */

/**
 * @typedef {ShownContext & { titles?: { before: string, after: string } }} DifferenceContext  title: What changed, unless given; titles: of the two
 *   profiles, such as their file names
 */

const MAX_PROCESSES = 32

const PARTS = Object.freeze({
  body: 'flamegraph/page.html',
  styles: [...FRAMES.styles, 'flamegraph/page.css'],
  scripts: [...FRAMES.scripts, 'flamegraph/page.js']
})

/** @type {import('../base/html-page').Page | undefined} */
let page

/** @param {CpuProfile} profile @param {EncodeContext} [context] @returns {Buffer} */
function encodeFlameGraph (profile, context = {}) {
  const root = buildCallTree(profile, context)
  return renderFlameGraph({
    title: context.title ?? 'CPU profile',
    header: headerHtml(profile, root, context),
    graph: describeTimes(root)
  })
}

/**
 * The difference of two CPU profiles, as a flame graph of the newer one in one HTML file: the width of a frame is its share in the newer profile,
 * its color is the change of that share, and functions that no longer run are listed. Shares are of busy time, because two recordings never have
 * the same length and load. A function that moved within its file counts as the same function.
 * @param {CpuProfile} before
 * @param {CpuProfile} after
 * @param {DifferenceContext} [context]
 * @returns {Buffer}
 * @throws ERR_LOOPSCOPE_INVALID_PROFILE for data that is not a CPU profile
 */
function encodeFlameGraphDifference (before, after, context = {}) {
  const graph = describeDifference(buildCallTree(before, context), buildCallTree(after, context))
  const title = context.title ?? 'What changed'
  return renderFlameGraph({ title, header: differenceHeaderHtml(graph.difference, { ...context, title }), graph })
}

/**
 * @param {{ title: string, header: string, graph: Graph }} content  header: HTML
 * @returns {Buffer}
 */
function renderFlameGraph ({ title, header, graph }) {
  page ??= createPage(PARTS, { scripts: [loadLibraries()] })
  return Buffer.from(page.asFile(title, { header, graph: jsonForHtml(graph) }))
}

/**
 * The part of the page that needs no script: what was recorded, and the time by kind.
 * @param {CpuProfile} profile
 * @param {CallTree} root
 * @param {EncodeContext} context
 */
function headerHtml ({ samples, processes }, root, { title = 'CPU profile', startedAt, notes = [] }) {
  const facts = [
    ...(startedAt === undefined ? [] : [`<time datetime="${new Date(startedAt).toISOString()}">${localTimeWithZone(startedAt)}</time>`]),
    describeTotal(root.totalMicros, processes),
    `${samples.length} samples`
  ]
  return [
    `<h1>${escapeHtml(title)}</h1>`,
    `<p class="facts">${facts.join(' · ')}</p>`,
    ...processesHtml(root, processes),
    ...notes.map(note => `<p class="note">${escapeHtml(note)}</p>`),
    root.totalMicros > 0 ? sharesHtml(root) : '<p class="empty">The profile has no samples: nothing was recorded in this time range.</p>'
  ].join('\n')
}

/** @param {{ before: Recorded, after: Recorded }} difference @param {DifferenceContext & { title: string }} context */
function differenceHeaderHtml ({ before, after }, { title, titles, notes = [] }) {
  const isComparable = before.busyMicros > 0 && after.busyMicros > 0
  return [
    `<h1>${escapeHtml(title)}</h1>`,
    recordedHtml('before', before, titles?.before),
    recordedHtml('after', after, titles?.after),
    ...notes.map(note => `<p class="note">${escapeHtml(note)}</p>`),
    isComparable ? '' : '<p class="empty">One of the two profiles has no busy samples: there is nothing to compare.</p>'
  ].join('\n')
}

/** @param {string} which @param {Recorded} recorded @param {string} [name] */
function recordedHtml (which, { micros, busyMicros, samples }, name) {
  const [busy, all] = [busyMicros, micros].map(time => `${(time / 1e6).toFixed(2)} s`)
  const facts = [...(name === undefined ? [] : [escapeHtml(name)]), `${busy} busy of ${all}`, `${samples} samples`]
  return `<p class="facts">${which}: ${facts.join(' · ')}</p>`
}

/** @param {CallTree} root @param {CpuProfile['processes']} processes */
function processesHtml (root, processes) {
  const times = timesByProcess(root)
  if (times.length === 0) return []
  const busy = sum(times, ({ busyMicros }) => busyMicros)
  const shown = times.slice(0, MAX_PROCESSES).map(({ process, busyMicros }) =>
    `${escapeHtml(process)} ${(busy > 0 ? 100 * busyMicros / busy : 0).toFixed(1)} %`)
  if (times.length > MAX_PROCESSES) shown.push(`and ${times.length - MAX_PROCESSES} more`)
  return [`<p class="facts">Busy time by ${kindOf(processes)}: ${shown.join(' · ')}</p>`]
}

/** @param {CallTree} root */
function sharesHtml (root) {
  const { javascript, wasm, native, gc, idle } = summarizeTime(root)
  const shares = [
    { name: 'JavaScript', kind: 'javascript', percent: 100 * javascript / root.totalMicros },
    ...(wasm > 0 ? [{ name: 'WebAssembly', kind: 'wasm', percent: 100 * wasm / root.totalMicros }] : []),
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

module.exports = { encodeFlameGraph, encodeFlameGraphDifference, renderFlameGraph }
