'use strict'

// A flame graph as one HTML file that needs nothing else: no network, no server, no other file.
// Everything a profile brings in (names, paths, the title) enters as text or as JSON, never as markup.

const { buildCallTree } = require('./profile/call-tree')
const { describeTimes } = require('./flamegraph/graph')
const { headerHtml } = require('./flamegraph/header')
const { loadLibraries } = require('./flamegraph/libraries')
const { createPage, jsonForHtml } = require('../base/html-page')

/** @import { CpuProfile, EncodeContext } from '../../../types/profile' */
/** @import { Graph } from './flamegraph/graph' */

const PARTS = Object.freeze({
  body: 'flamegraph/page.html',
  styles: ['frames/frames.css', 'flamegraph/page.css'],
  scripts: ['frames/frames.js', 'frames/keyboard.js', 'frames/drawing.js', 'flamegraph/page.js']
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
    width: 'time',
    graph: describeTimes(root)
  })
}

/**
 * @param {{ title: string, header: string, width: string, graph: Graph }} content  width: what the width of a frame means; header: HTML
 * @returns {Buffer}
 */
function renderFlameGraph ({ title, header, width, graph }) {
  page ??= createPage(PARTS, { scripts: [loadLibraries()] })
  return Buffer.from(page.asFile(title, { header, width, graph: jsonForHtml(graph) }))
}

module.exports = { encodeFlameGraph, renderFlameGraph }
