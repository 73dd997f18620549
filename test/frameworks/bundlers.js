'use strict'

// Builds an application, and loopscope's second entry, with the real bundlers, as docs/bundlers.md says.

const { createRequire } = require('node:module')
const path = require('node:path')
const { PACKAGES } = require('./installed')

const packages = createRequire(path.join(PACKAGES, 'index.js'))

/**
 * @typedef {object} Build
 * @property {string} folder    of the application, shop.js
 * @property {string} outdir    where app and observer end up
 * @property {boolean} isExternal  loopscope stays outside
 */

const entriesOf = ({ folder, isExternal }) => ({
  app: path.join(folder, 'shop.js'),
  ...(isExternal ? {} : { observer: 'loopscope/observer' })
})

/** @param {Build} build */
async function esbuild (build) {
  await packages('esbuild').build({
    entryPoints: entriesOf(build),
    absWorkingDir: build.folder,
    outdir: build.outdir,
    bundle: true,
    platform: 'node',
    external: build.isExternal ? ['loopscope'] : [],
    logLevel: 'silent'
  })
}

/** @param {Build} build */
async function webpack (build) {
  const stats = await new Promise((resolve, reject) => packages('webpack')({
    mode: 'production',
    target: 'node',
    context: build.folder,
    entry: entriesOf(build),
    output: { path: build.outdir, filename: '[name].js' },
    optimization: { minimize: false }, // the names of functions, which stalls are reported with, are still there
    externals: build.isExternal ? { loopscope: 'commonjs loopscope' } : {}
  }, (error, stats) => error ? reject(error) : resolve(stats)))
  const { errors, warnings } = stats.toJson({ all: false, errors: true, warnings: true })
  return [...errors, ...warnings].map(({ moduleName, message }) => `${moduleName}: ${message}`)
}

/** @param {Build} build */
async function rollup (build) {
  /** @type {string[]} */
  const complaints = []
  const bundle = await packages('rollup').rollup({
    input: entriesOf(build),
    external: build.isExternal ? ['loopscope'] : [],
    plugins: [packages('@rollup/plugin-node-resolve').nodeResolve({ preferBuiltins: true, rootDir: build.folder }), packages('@rollup/plugin-commonjs')(), packages('@rollup/plugin-json')()],
    onwarn: ({ id, message }) => complaints.push(`${id}: ${message}`)
  })
  await bundle.write({ dir: build.outdir, format: 'es', entryFileNames: '[name].mjs', chunkFileNames: '[name].mjs' })
  await bundle.close()
  return complaints
}

/** By name: the file type of what it makes, and how; resolves to what the bundler complained about. */
const BUNDLERS = {
  esbuild: { type: 'js', build: esbuild },
  webpack: { type: 'js', build: webpack },
  'Rollup, to an ES module': { type: 'mjs', build: rollup }
}

module.exports = { BUNDLERS }
