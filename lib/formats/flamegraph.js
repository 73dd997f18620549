'use strict'

// A flame graph as one HTML file that needs nothing else: no network, no server, no other file.
// Everything a profile brings in (names, paths, the title) enters as text or as JSON, never as markup.

const { createHash } = require('node:crypto')
const fs = require('node:fs')
const path = require('node:path')
const { buildCallTree } = require('./call-tree')
const { describeGraph } = require('./flamegraph/graph')
const { escapeHtml, headerHtml } = require('./flamegraph/header')
const { loadLibraries } = require('./flamegraph/libraries')

/** @import { CpuProfile, EncodeContext } from '../../types/profile' */

/** @type {{ shell: string, style: string, script: string, libraries: string } | null} */
let parts = null

/**
 * @param {CpuProfile} profile
 * @param {EncodeContext} [context]
 * @returns {Buffer}
 */
function encodeFlameGraph (profile, context = {}) {
  const root = buildCallTree(profile, context)
  const { shell, style, script, libraries } = parts ??= readParts()
  return Buffer.from(fill(shell, {
    policy: policyOf(style, [libraries, script]),
    title: escapeHtml(context.title ?? 'CPU profile'),
    header: headerHtml(profile, root, context),
    graph: jsonForHtml(describeGraph(root)),
    style,
    libraries,
    script
  }))
}

function readParts () {
  /** @param {string} name */
  const read = name => oneLineEnd(fs.readFileSync(path.join(__dirname, 'flamegraph', name), 'utf8'))
  return {
    shell: read('shell.html'),
    style: read('page.css'),
    script: read('page.js'),
    libraries: oneLineEnd(loadLibraries())
  }
}

/**
 * Browsers hash a script after they have made every line end a line feed.
 * @param {string} source
 */
function oneLineEnd (source) {
  return source.replaceAll('\r\n', '\n')
}

/**
 * @param {string} style
 * @param {string[]} scripts
 */
function policyOf (style, scripts) {
  return [
    "default-src 'none'",
    `script-src ${scripts.map(hashSource).join(' ')}`,
    `style-src ${hashSource(style)}`,
    'img-src data:', // the empty icon of the page, without which a browser asks the server for one
    "base-uri 'none'",
    "form-action 'none'"
  ].join('; ')
}

/** @param {string} source */
function hashSource (source) {
  return `'sha256-${createHash('sha256').update(source).digest('base64')}'`
}

/**
 * JSON that cannot end the script element it stands in.
 * @param {unknown} value
 */
function jsonForHtml (value) {
  return JSON.stringify(value).replaceAll('<', '\\u003c')
}

/**
 * One pass, so that what was filled in is not looked at again.
 * @param {string} shell
 * @param {Record<string, string>} values
 */
function fill (shell, values) {
  return shell.replaceAll(/\{\{(\w+)\}\}/g, (_, name) => values[name])
}

module.exports = { encodeFlameGraph }
