'use strict'

// The applications as they are installed and built for a test: copied into a folder of their own, with the packages of this folder and
// loopscope among their modules.

const fs = require('node:fs')
const path = require('node:path')
const { link } = require('../frameworks/installed')

const PACKAGES = path.join(__dirname, 'node_modules')
const LOOPSCOPE = path.resolve(__dirname, '../..')
const { dependencies } = require('./package.json')

/** For the option `skip` of a test. @type {string | false} */
const missing = !fs.existsSync(PACKAGES) && 'its packages are not installed: npm install --no-save --prefix test/truth'

/**
 * @typedef {object} Group  one application as it is started
 * @property {string} app  its folder in apps/
 * @property {boolean} [preload]  started with --require loopscope/register; else it uses diagnostics itself
 * @property {(folder: string, maps: boolean) => void} [build]
 * @property {boolean} [maps]  built with source maps
 */

/** @type {Record<string, Group>} */
const GROUPS = {
  shop: { app: 'shop' },
  legacy: { app: 'legacy', preload: true },
  gateway: { app: 'gateway' },
  'koa-feed': { app: 'koa-feed' },
  edge: { app: 'edge', preload: true },
  plain: { app: 'plain', preload: true },
  worker: { app: 'worker', preload: true },
  atelier: { app: 'atelier', preload: true },
  nest: { app: 'nest', preload: true, build: compile, maps: true },
  billing: { app: 'billing', preload: true, build: compile, maps: true },
  'billing-unmapped': { app: 'billing', preload: true, build: compile, maps: false },
  frontdesk: { app: 'frontdesk', preload: true, build: bundle, maps: true },
  'frontdesk-unmapped': { app: 'frontdesk', preload: true, build: bundle, maps: false }
}

/**
 * @param {string} root  a folder of the test
 * @param {string} name  of a group
 * @returns {{ folder: string, args: string[] }} args: for node, to be run in the folder
 */
function install (root, name) {
  const { app, preload = false, build = () => {}, maps = false } = GROUPS[name]
  const folder = path.join(root, name, app)
  if (!fs.existsSync(folder)) {
    fs.cpSync(path.join(__dirname, 'apps', app), folder, { recursive: true })
    link(LOOPSCOPE, path.join(folder, 'node_modules/loopscope'))
    for (const dependency of Object.keys(dependencies)) link(path.join(PACKAGES, dependency), path.join(folder, 'node_modules', dependency))
    build(folder, maps)
  }
  const { main } = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8'))
  return { folder, args: [...preload ? ['--require', 'loopscope/register'] : [], main] }
}

/**
 * With TypeScript, each file for itself.
 * @param {string} folder
 * @param {boolean} maps
 */
function compile (folder, maps) {
  const typescript = require(path.join(PACKAGES, 'typescript'))
  const { config } = typescript.readConfigFile(path.join(folder, 'tsconfig.json'), typescript.sys.readFile)
  const { fileNames, options } = typescript.parseJsonConfigFileContent(config, typescript.sys, folder)
  typescript.createProgram(fileNames, { ...options, sourceMap: maps, noLib: true, noResolve: true }).emit()
}

/**
 * With esbuild, all packages inside; minified where a map tells what it was.
 * @param {string} folder
 * @param {boolean} maps
 */
function bundle (folder, maps) {
  require(path.join(PACKAGES, 'esbuild')).buildSync({
    absWorkingDir: folder,
    entryPoints: ['src/server.js'],
    outfile: 'dist/server.js',
    bundle: true,
    platform: 'node',
    logLevel: 'error',
    minify: maps,
    sourcemap: maps
  })
}

module.exports = { GROUPS, install, missing }
