'use strict'

// The scripts and styles of a page with a flame graph: loopscope's own in lib/page/, and the browser builds of d3-flame-graph and the d3
// modules it needs, read from the installed packages as one script.

const fs = require('node:fs')
const { createRequire } = require('node:module')
const path = require('node:path')
const { attempt } = require('../../base/guard')
const { ownRequire } = require('../../base/own-files')

// On load d3-flame-graph adds a style element of its own. The page has its own style sheet, and its content security policy forbids others.
const WITHOUT_STYLE = [
  '(function (document) {',
  '}).call(globalThis, { createElement: () => ({}), head: { appendChild () {} } });'
]

/** Files of lib/page/, in the order of their dependencies. */
const FRAMES = Object.freeze({
  styles: ['frames/frames.css'],
  scripts: ['frames', 'callers', 'changes', 'frame-text', 'drawing', 'sandwich', 'flame-graph'].map(name => `frames/${name}.js`)
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
 * Each is resolved from the package that requires it, because some package managers do not hoist; dependencies come first.
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
 * If a package is a symbolic link (pnpm), its dependencies are next to its target. Node.js 20 and 22 do not always follow the link: after a
 * stat of a socket or a pipe in the same thread they take the next package for one, too.
 * @param {string} file
 */
function realPath (file) {
  return attempt(() => fs.realpathSync.native(file), file) // in a Yarn archive
}

/** @param {{ name: string, version: string, license: string }} manifest @param {string} source */
function withOrigin ({ name, version, license }, source) {
  return `/* ${name} ${version}, ${license} */\n${source}`
}

/** The manifest lies above the main file; `exports` keeps it from being required by name. @param {string} file */
function readPackage (file) {
  let folder = path.dirname(file)
  while (!fs.existsSync(path.join(folder, 'package.json'))) folder = path.dirname(folder)
  return { folder, manifest: JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8')) }
}

module.exports = { FRAMES, loadLibraries }
