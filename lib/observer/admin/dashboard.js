'use strict'

// The page of the admin surface as one document that loads nothing else. It holds no data: its script asks the routes, with
// the token that the browser's tab has.

const fs = require('node:fs')
const { createPage } = require('../../shared/base/html-page')
const { ownRequire } = require('../../shared/base/own-files')
const { loadLibraries } = require('../../shared/formats/flamegraph/libraries')

const PARTS = Object.freeze({
  body: 'dashboard/page.html',
  styles: ['frames/frames.css', 'dashboard/page.css'],
  scripts: [
    ...['frames', 'keyboard', 'drawing'].map(name => `frames/${name}.js`),
    ...['display', 'session', 'tables', 'charts', 'flame', 'heap', 'captures', 'page'].map(name => `dashboard/${name}.js`)
  ]
})
const DIRECTIVES = ["connect-src 'self'", "frame-ancestors 'none'"]

/** @type {{ html: string, policy: string } | undefined} */
let shell

/** Made once a process; a few hundred kilobytes, most of it libraries. */
function renderShell () {
  shell ??= createPage(PARTS, loadOwnLibraries()).toServe('loopscope', DIRECTIVES)
  return shell
}

function loadOwnLibraries () {
  const own = { require: ownRequire() }
  const script = fs.readFileSync(own.require.resolve('uplot/dist/uPlot.iife.min.js'), 'utf8')
  return {
    styles: [fs.readFileSync(own.require.resolve('uplot/dist/uPlot.min.css'), 'utf8')],
    scripts: [`/* uPlot ${own.require('uplot/package.json').version}, MIT */\n${script}`, loadLibraries()]
  }
}

module.exports = { renderShell }
