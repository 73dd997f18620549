'use strict'

// Formats a heap profile as a flame graph and as text.

const { escapeHtml } = require('../base/html-page')
const { localTimeWithZone } = require('../base/local-time')
const { printable } = require('../base/printable')
const { buildHeapTree, bytesByFunction, bytesByProcess } = require('./profile/heap-tree')
const { placeOf } = require('./profile/frame')

/** @import { ReadProfile, ShownContext } from './formats' */
/** @import { HeapTree } from './profile/heap-tree' */

/** @typedef {{ tree: HeapTree, caller: Call | null }} Call */

const MAX_FUNCTIONS = 30
const MAX_STACKS = 10
const MAX_STACK_FRAMES = 12
const MB = 1e6
const LIMITS = 'Sampled, one sample per 512 KB, since sampling began; earlier allocations are not included. Reading the profile paused the process for a garbage collection.'

/** @param {ReadProfile} profile @param {ShownContext} [context] */
function encodeHeapGraph (profile, context = {}) {
  const { renderFlameGraph } = require('./flamegraph')
  const { describeGraph } = require('./flamegraph/graph')
  const root = buildHeapTree(profile, context)
  const title = context.title ?? 'heap profile'
  const header = [
    `<h1>${escapeHtml(title)}</h1>`,
    `<p class="facts">${escapeHtml(factsOf(profile, root))}</p>`,
    ...processFacts(root).map(line => `<p class="facts">${escapeHtml(line)}</p>`),
    ...[...context.notes ?? [], LIMITS].map(note => `<p class="note">${escapeHtml(note)}</p>`),
    ...(root.totalBytes > 0 ? [] : ['<p class="empty">Nothing was sampled in this time.</p>'])
  ].join('\n')
  const graph = describeGraph(root, {
    unit: 'bytes',
    selves: (/** @type {HeapTree} */ tree) => [tree.selfBytes],
    total: (/** @type {HeapTree} */ tree) => tree.totalBytes
  })
  return renderFlameGraph({ title, header, graph })
}

/** @param {ReadProfile} profile @param {HeapTree} root */
function factsOf ({ mode, fromMs, toMs, profile: { samples } }, { totalBytes }) {
  const size = `${(totalBytes / MB).toFixed(1)} MB`
  // Older versions wrote the tree without its samples.
  if (totalBytes > 0 && samples.length === 0) return size
  if (mode === undefined || fromMs === undefined || toMs === undefined) return `${size}, ${samples.length} samples`
  const what = mode === 'all' ? 'allocated' : 'still alive, allocated'
  return `${size} ${what} in ${((toMs - fromMs) / 1e3).toFixed(1)} s, from ${localTimeWithZone(fromMs)}, ${samples.length} samples`
}

/** @param {ReadProfile} profile @param {ShownContext} [context] */
function encodeHeapText (profile, context = {}) {
  const root = buildHeapTree(profile, context)
  const rows = bytesByFunction(root).filter(({ selfBytes }) => selfBytes > 0).slice(0, MAX_FUNCTIONS)
  const lines = [
    context.title ?? 'heap profile',
    factsOf(profile, root),
    ...(context.notes ?? []).map(note => `Note: ${note}`),
    LIMITS,
    '',
    ...processRows(root),
    '   self MB  share  total MB  function',
    ...rows.map(({ frame, selfBytes, totalBytes }) => {
      const share = percent(selfBytes, root.totalBytes).padStart(5)
      return `${inMb(selfBytes).padStart(10)}  ${share}  ${inMb(totalBytes).padStart(8)}  ${frame.name} ${placeOf(frame)}`
    }),
    '',
    ' [Heaviest stacks]',
    ...heaviestStacks(root).flatMap(({ bytes, stack }) =>
      ['', `${inMb(bytes)} MB (${percent(bytes, root.totalBytes)})`, ...stack.map(name => `  ${name}`)])
  ]
  return Buffer.from(`${lines.map(printable).join('\n')}\n`)
}

/** @param {HeapTree} root @returns {string[]} none if the profile is of one process */
function processFacts (root) {
  const shares = bytesByProcess(root).map(({ process, bytes }) => `${process} ${percent(bytes, root.totalBytes)}`)
  return shares.length === 0 ? [] : [`By process: ${shares.join(' · ')}`]
}

/** @param {HeapTree} root @returns {string[]} */
function processRows (root) {
  const rows = bytesByProcess(root).map(({ process, bytes }) => `${inMb(bytes).padStart(10)}  ${percent(bytes, root.totalBytes).padStart(5)}  ${process}`)
  return rows.length === 0 ? [] : ['        MB  share  process', ...rows, '']
}

/** @param {HeapTree} root */
function heaviestStacks (root) {
  /** @type {Call[]} */
  const calls = root.children.map(tree => ({ tree, caller: null }))
  for (const call of calls) for (const tree of call.tree.children) calls.push({ tree, caller: call })
  return calls.filter(({ tree }) => tree.selfBytes > 0)
    .sort((a, b) => b.tree.selfBytes - a.tree.selfBytes)
    .slice(0, MAX_STACKS)
    .map(call => ({ bytes: call.tree.selfBytes, stack: stackOf(call) }))
}

/** @param {Call} call */
function stackOf (call) {
  const stack = []
  for (let at = /** @type {Call | null} */ (call); at !== null && stack.length < MAX_STACK_FRAMES; at = at.caller) stack.push(nameOf(at.tree))
  return stack
}

/** @param {HeapTree} tree */
function nameOf ({ frame }) {
  return `${frame.name} ${placeOf(frame)}`
}

/** @param {number} bytes */
function inMb (bytes) {
  return (bytes / MB).toFixed(2)
}

/** @param {number} part @param {number} whole */
function percent (part, whole) {
  return `${(whole === 0 ? 0 : part / whole * 100).toFixed(1)}%`
}

module.exports = { encodeHeapGraph, encodeHeapText }
