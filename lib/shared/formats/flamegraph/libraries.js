'use strict'

// What a page with a flame graph is made with: our own parts in lib/browser/, and the browser builds of d3-flame-graph and of the d3
// modules it needs, read from the installed packages as one script.

const fs = require('node:fs')
const { createRequire } = require('node:module')
const path = require('node:path')
const { ownRequire } = require('../../base/own-files')

// On load d3-flame-graph adds a style element of its own. The page has its own style sheet, and its policy forbids others.
const WITHOUT_STYLE = [
  '(function (document) {',
  '}).call(globalThis, { createElement: () => ({}), head: { appendChild () {} } });'
]

/** Of lib/browser/, in the order in which they need each other. */
const FRAMES = Object.freeze({
  styles: ['frames/frames.css'],
  scripts: ['frames', 'changes', 'words', 'drawing', 'flame-graph'].map(name => `frames/${name}.js`)
})

/** @returns {string} */
function loadLibraries () {
  const [begin, end] = WITHOUT_STYLE
  const own = { require: ownRequire() }
  const flameGraph = realPath(own.require.resolve('d3-flame-graph'))
  const modules = new Map()
  addDependencies(flameGraph, modules)
  const { manifest } = readPackage(flameGraph)
  const sources = [...modules.values(), begin, withOrigin(manifest, fs.readFileSync(flameGraph, 'utf8')), end]
  return sources.join('\n').replaceAll('</script', '<\\/script')
}

/**
 * Each is resolved from the package that asks for it, as package managers that do not hoist require; needed ones first.
 * @param {string} file
 * @param {Map<string, string>} sources  by package name
 */
function addDependencies (file, sources) {
  const requireFrom = createRequire(file)
  for (const name of Object.keys(readPackage(file).manifest.dependencies ?? {})) {
    // The others (internmap) are part of the build that needs them.
    if (!name.startsWith('d3-') || sources.has(name)) continue
    const main = realPath(requireFrom.resolve(name))
    addDependencies(main, sources)
    const { folder, manifest } = readPackage(main)
    sources.set(name, withOrigin(manifest, fs.readFileSync(path.join(folder, manifest.unpkg), 'utf8')))
  }
}

/**
 * Where a package is a link (pnpm) its dependencies are beside what it leads to. Node.js 20 and 22 do not always follow it: after
 * anybody in the thread has looked at a socket or a pipe they take the next package for one, too.
 * @param {string} file
 */
function realPath (file) {
  try {
    return fs.realpathSync.native(file)
  } catch {
    return file // in an archive of Yarn's
  }
}

/**
 * @param {{ name: string, version: string, license: string }} manifest
 * @param {string} source
 */
function withOrigin ({ name, version, license }, source) {
  return `/* ${name} ${version}, ${license} */\n${source}`
}

/**
 * The manifest lies above the main file; `exports` keeps it from being required by name.
 * @param {string} file
 */
function readPackage (file) {
  let folder = path.dirname(file)
  while (!fs.existsSync(path.join(folder, 'package.json'))) folder = path.dirname(folder)
  return { folder, manifest: JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8')) }
}

module.exports = { FRAMES, loadLibraries }
