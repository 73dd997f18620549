'use strict'

// A flame graph as one HTML file that needs nothing else: no network, no server, no other file.
// Everything a profile brings in (names, paths, the title) enters as text or as JSON, never as markup.

const { buildCallTree } = require('./profile/call-tree')
const { describeTimes } = require('./flamegraph/graph')
const { describeDifference } = require('./flamegraph/difference')
const { differenceHeaderHtml, headerHtml } = require('./flamegraph/header')
const { FRAMES, loadLibraries } = require('./flamegraph/libraries')
const { createPage, jsonForHtml } = require('../base/html-page')

/** @import { CpuProfile, EncodeContext } from '../../../types/profile' */
/** @import { DifferenceContext } from './flamegraph/header' */
/** @import { Graph } from './flamegraph/graph' */

const PARTS = Object.freeze({
  body: 'flamegraph/page.html',
  styles: [...FRAMES.styles, 'flamegraph/page.css'],
  scripts: [...FRAMES.scripts, 'flamegraph/page.js']
})

/** @type {import('../base/html-page').Page | undefined} */
let page

/**
 * @param {CpuProfile} profile
 * @param {EncodeContext} [context]
 * @returns {Buffer}
 */
function encodeFlameGraph (profile, context = {}) {
  const root = buildCallTree(profile, context)
  return renderFlameGraph({
    title: context.title ?? 'CPU profile',
    header: headerHtml(profile, root, context),
    graph: describeTimes(root)
  })
}

/**
 * What changed from one CPU profile to another, as a flame graph of the later one in one HTML file: frames as wide as their share after,
 * coloured by how that share changed, and a list of those that are gone. Shares are of the time at work, since two recordings are never
 * equally long or busy. A function that moved in its file is the same one.
 * @param {CpuProfile} before
 * @param {CpuProfile} after
 * @param {DifferenceContext} [context]
 * @returns {Buffer}
 * @throws ERR_LOOPSCOPE_INVALID_PROFILE for what is no CPU profile
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

module.exports = { encodeFlameGraph, encodeFlameGraphDifference, renderFlameGraph }
