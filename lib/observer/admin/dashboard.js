'use strict'

// The page of the admin surface as one self-contained document. It contains no data: its script requests the routes, with the token stored in the
// browser's tab.

const fs = require('node:fs')
const { createPage } = require('../../base/html-page')
const { ownRequire } = require('../../base/own-files')
const { FRAMES, loadLibraries } = require('../../formats/flamegraph/libraries')

const PARTS = Object.freeze({
  body: 'dashboard/page.html',
  styles: [...FRAMES.styles, 'dashboard/page.css', 'sections/sections.css'],
  modules: {
    findingDetails: 'shared/findings/details.js',
    figures: 'page/dashboard/figures.js',
    groupProcesses: 'shared/group/processes.js',
    memoryText: 'shared/memory-owner.js',
    ruleText: 'cli/output/format-rule.js',
    requestText: 'shared/requests/describe.js',
    stallEvidence: 'shared/stalls/evidence-text.js'
  },
  scripts: [
    ...FRAMES.scripts,
    ...['display', 'glossary', 'section-list', 'links', 'session', 'problems', 'tables', 'flame'].map(name => `dashboard/${name}.js`),
    ...['charts', 'range', 'now', 'group', 'stalls', 'waits', 'requests', 'findings', 'calls', 'threads', 'memory-sites', 'memory', 'captures', 'rules'].map(name => `sections/${name}.js`),
    'dashboard/page.js'
  ]
})
const DIRECTIVES = ["connect-src 'self'", "frame-ancestors 'none'"]

/** @type {{ html: string, policy: string } | undefined} */
let shell

/** Created once per process; a few hundred kilobytes, most of it libraries. */
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
