'use strict'

// A flame graph as one HTML file that needs nothing else: no network, no server, no other file.
// Everything a profile brings in (names, paths, the title) enters as text or as JSON, never as markup.

const { buildCallTree } = require('./profile/call-tree')
const { describeTimes } = require('./flamegraph/graph')
const { headerHtml } = require('./flamegraph/header')
const { loadLibraries } = require('./flamegraph/libraries')
const { escapeHtml, fill, jsonForHtml, oneLineEnd, policyOf } = require('../base/html-page')
const { readOwn } = require('../base/own-files')

/** @import { CpuProfile, EncodeContext } from '../../../types/profile' */
/** @import { Graph } from './flamegraph/graph' */

// In the order in which they need each other.
const SCRIPTS = Object.freeze(['tree', 'keyboard', 'page'])

/** @type {{ shell: string, style: string, script: string, libraries: string } | null} */
let parts = null

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
  const { shell, style, script, libraries } = parts ??= readParts()
  return Buffer.from(fill(shell, {
    policy: policyOf(style, [libraries, script]),
    title: escapeHtml(title),
    header,
    width,
    graph: jsonForHtml(graph),
    style,
    libraries,
    script
  }))
}

function readParts () {
  /** @param {string} name */
  const read = name => oneLineEnd(readOwn(`browser/flamegraph/${name}`))
  return {
    shell: read('shell.html'),
    style: read('page.css'),
    script: SCRIPTS.map(name => read(`${name}.js`)).join('\n'),
    libraries: oneLineEnd(loadLibraries())
  }
}

module.exports = { encodeFlameGraph, renderFlameGraph }
