'use strict'

// Yarn's Plug'n'Play: packages are read out of archives, by a loader that every thread needs. Everything is installed from this
// machine: loopscope as it would be published, its dependencies from the folders that npm made.

const test = require('node:test')
const assert = require('node:assert/strict')
const { execFile } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { promisify } = require('node:util')
const { commandOf, skipWithout } = require('./installed')
const { start, endingOf } = require('./environment')
const { OBSERVED, observe } = require('./observed')
const { ROOT } = require('../internal/project')
const { makeScratch } = require('../store/scratch')

const run = promisify(execFile)
const skip = skipWithout('@yarnpkg/cli-dist')

const APP = `
const http = require('node:http')
const diagnostics = process.env.DOOR === 'middleware' ? require('loopscope')({ path: false }) : (request, response, next) => next()
function blockForAWhile () {
  const until = performance.now() + 300
  while (performance.now() < until);
}
const server = http.createServer((request, response) => diagnostics(request, response, () => response.end(String(blockForAWhile()))))
server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ msg: 'listening', port: server.address().port, pid: process.pid })))
process.on('SIGTERM', () => { server.close(); server.closeAllConnections() })
`

const SETTINGS = `nodeLinker: pnp
enableNetwork: false
enableTelemetry: false
enableGlobalCache: false
enableMirror: false
`

/**
 * Every package that loopscope needs, from node_modules of the project.
 * @param {string} name
 * @param {Record<string, string>} resolutions
 */
function addResolutions (name, resolutions = {}) {
  const folder = path.join(ROOT, name === 'loopscope' ? '' : `node_modules/${name}`)
  if (name !== 'loopscope') resolutions[name] = `file:${folder}`
  const { dependencies = {} } = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8'))
  for (const one of Object.keys(dependencies)) if (!(one in resolutions)) addResolutions(one, resolutions)
  return resolutions
}

/** @param {import('node:test').TestContext} t */
async function install (t) {
  const folder = makeScratch(t)
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: ROOT })
  const files = {
    'package.json': JSON.stringify({ name: 'shop', dependencies: { loopscope: `file:./${JSON.parse(stdout)[0].filename}` }, resolutions: addResolutions('loopscope') }),
    'yarn.lock': '',
    '.yarnrc.yml': SETTINGS,
    'app.js': APP
  }
  for (const [name, text] of Object.entries(files)) fs.writeFileSync(path.join(folder, name), text)
  // In an environment with CI set, Yarn would not write its lock file.
  const env = { ...process.env, HOME: folder, YARN_ENABLE_IMMUTABLE_INSTALLS: 'false' }
  await run(process.execPath, [commandOf('@yarnpkg/cli-dist', 'yarn'), 'install'], { cwd: folder, env })
  return folder
}

test('with Yarn Plug\'n\'Play the observer is read out of its archive, by yarn and by node --require', { skip, timeout: 180_000 }, async t => {
  const cwd = await install(t)
  const yarn = [commandOf('@yarnpkg/cli-dist', 'yarn'), 'node', 'app.js']
  const node = ['--require', './.pnp.cjs', 'app.js']
  for (const args of [yarn, node]) {
    const app = start(t, args, { cwd, env: { ...OBSERVED, DOOR: 'middleware', HOME: cwd } })
    const { stall } = await observe(app, { path: '/', route: 'GET /' })
    assert.equal(stall.culprit.file, 'app.js')
    // Yarn's own end would leave its child.
    process.kill((await app.until(/^listening$/)).pid)
    await endingOf(app)
  }
  const [observed, bare] = await Promise.all([{ ...OBSERVED, DOOR: 'middleware' }, {}].map(async env => {
    const app = start(t, node, { cwd, env })
    await app.until(/^listening$/)
    app.child.kill('SIGTERM')
    return endingOf(app)
  }))
  assert.deepEqual(observed, bare)
})
