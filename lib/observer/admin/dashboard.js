'use strict'

// The page of the admin surface as one document that loads nothing else. It holds no data: its script asks the routes, with
// the token that the browser's tab has.

const fs = require('node:fs')
const { oneLineEnd, policyOf } = require('../../shared/base/html-page')
const { ownRequire, readOwn } = require('../../shared/base/own-files')
const { loadLibraries } = require('../../shared/formats/flamegraph/libraries')

// In the order in which they need each other.
const SCRIPTS = Object.freeze(['display', 'session', 'tables', 'charts', 'flame', 'heap', 'captures', 'page'])

/** @type {{ html: string, contentSecurityPolicy: string } | undefined} */
let shell

/** Made once a process; a few hundred kilobytes, most of it libraries. */
function renderShell () {
  shell ??= makeShell()
  return shell
}

function makeShell () {
  const own = { require: ownRequire() }
  const style = `${read(own.require.resolve('uplot/dist/uPlot.min.css'))}\n${readPage('page.css')}`
  const uplot = `/* uPlot ${own.require('uplot/package.json').version}, MIT */\n${read(own.require.resolve('uplot/dist/uPlot.iife.min.js'))}`
  const scripts = [uplot, loadLibraries(), SCRIPTS.map(name => readPage(`${name}.js`)).join('\n')]
  const html = readPage('page.html')
    .replace('{{style}}', () => style)
    .replace('{{scripts}}', () => scripts.map(script => `<script>${script}</script>`).join('\n'))
  return { html, contentSecurityPolicy: policyOf(style, scripts, ["connect-src 'self'", "frame-ancestors 'none'"]) }
}

/** @param {string} name */
function readPage (name) {
  return oneLineEnd(readOwn(`browser/dashboard/${name}`))
}

/** @param {string} file */
function read (file) {
  return oneLineEnd(fs.readFileSync(file, 'utf8'))
}

module.exports = { renderShell }
