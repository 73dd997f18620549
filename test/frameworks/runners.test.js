'use strict'

// What runs applications and tests: TypeScript through tsx, ES modules, Node's test runner, vitest.

const assert = require('node:assert/strict')
const test = require('node:test')
const { commandOf, skipWithout } = require('./installed')
const { IMPORT, PRELOAD, makeApplication, start, endingOf, endOf } = require('./environment')
const { OBSERVED, observe } = require('./observed')

const TYPESCRIPT = `
import express, { type Request, type Response } from 'express'
import type { AddressInfo } from 'node:net'

const app = express()

function blockForAWhile (): void {
  const until: number = performance.now() + 300
  while (performance.now() < until);
}

app.get('/stall/:id', (request: Request, response: Response) => {
  blockForAWhile()
  response.end()
})

const server = app.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ msg: 'listening', port: (server.address() as AddressInfo).port })))
`
const MODULE = TYPESCRIPT.replace(/: (void|number|Request|Response)\b| as AddressInfo|, \{ type.*?\}|^import type.*$/gm, '')

/** A loader of one's own, as @swc-node/register and @babel/register are. */
const LOADER = `
const { transformSync } = require('esbuild')
const maps = new Map()
require('source-map-support').install({ environment: 'node', retrieveSourceMap: file => maps.has(file) ? { url: file, map: maps.get(file) } : null })
require.extensions['.ts'] = (module, file) => {
  const { code, map } = transformSync(require('node:fs').readFileSync(file, 'utf8'), { loader: 'ts', format: 'cjs', sourcefile: file, sourcemap: 'external' })
  maps.set(file, JSON.parse(map))
  module._compile(code, file)
}
`

const TS_NODE = { TS_NODE_TRANSPILE_ONLY: 'true', TS_NODE_COMPILER_OPTIONS: '{"module":"commonjs","esModuleInterop":true}' }

const APPLICATIONS = {
  tsx: { packages: ['tsx'], files: { 'app.ts': TYPESCRIPT }, args: ['--import', 'tsx', 'app.ts'], env: { NODE_OPTIONS: PRELOAD } },
  'ts-node': { packages: ['ts-node', 'typescript'], files: { 'app.ts': TYPESCRIPT }, args: ['--require', 'ts-node/register', 'app.ts'], env: { NODE_OPTIONS: PRELOAD, ...TS_NODE } },
  'a loader with source-map-support': { packages: ['esbuild', 'source-map-support'], files: { 'app.ts': TYPESCRIPT, 'loader.cjs': LOADER }, args: ['--require', './loader.cjs', 'app.ts'], env: { NODE_OPTIONS: PRELOAD } },
  'an ES module with --import': { packages: [], files: { 'app.mjs': MODULE }, args: ['app.mjs'], env: { NODE_OPTIONS: IMPORT } }
}

for (const [name, { packages, files, args, env }] of Object.entries(APPLICATIONS)) {
  test(`${name}: a stall with route and line, a profile, the same end`, { skip: skipWithout('express', ...packages), timeout: 120_000 }, async t => {
    const cwd = makeApplication(t, { files, fixtures: [], packages: ['express', ...packages] })
    const app = start(t, args, { cwd, env: { ...OBSERVED, ...env } })
    const [[file, text]] = Object.entries(files)
    const line = text.split('\n').findIndex(line => line.includes('function blockForAWhile')) + 1
    await observe(app, { isExpected: ({ culprit }) => culprit.file === file && culprit.functionLine === line && culprit.line > line && culprit.line <= line + 2 })
    assert.deepEqual(await endOf(app), await endOf(start(t, args, { cwd, env: { ...env, NODE_OPTIONS: undefined } })))
  })
}

/** Tests of an application that has loopscope, and does not close it: one passes, one fails. */
const testsOf = runner => `
import assert from 'node:assert/strict'
import { test } from '${runner}'
import express from 'express'
import diagnostics from 'loopscope'

const logger = { info () {}, warn () {}, error () {} }
const handle = process.env.DOOR === 'middleware' ? diagnostics({ path: false, logger }) : null
const app = express()
if (handle) app.use(handle)
app.get('/stall/:id', function stall (request, response) {
  const until = performance.now() + 800 // in which the recorder starts as well
  while (performance.now() < until);
  response.end('done')
})

test('answers', async () => {
  const seen = handle && new Promise(resolve => handle.on('stall', ({ durationMs }) => durationMs >= 200 && resolve()))
  const server = app.listen(0, '127.0.0.1')
  await new Promise(resolve => server.once('listening', resolve))
  const response = await fetch('http://127.0.0.1:' + server.address().port + '/stall/4711')
  assert.equal(await response.text(), 'done')
  await seen
  server.close()
  server.closeAllConnections()
})

test('fails', () => assert.equal(process.env.PASS, 'yes'))
`

const RUNNERS = {
  'node --test': { packages: [], runner: 'node:test', args: () => ['--test', 'shop.test.mjs'] },
  vitest: { packages: ['vitest'], runner: 'vitest', args: () => [commandOf('vitest'), 'run', 'shop.test.mjs'] }
}

/** What was counted, without the time that it took. @param {string} text */
const countsOf = text => text.split('\n').filter(line => /^. (tests|pass|fail|cancelled) \d+$|^ +(Test Files|Tests) /.test(line))

// A runner that is started by another would speak to it.
const OWN = { NODE_TEST_CONTEXT: undefined, NO_COLOR: '1', FORCE_COLOR: '0', CI: '1' }

for (const [name, { packages, runner, args }] of Object.entries(RUNNERS)) {
  test(`${name}: tests of an application with loopscope, also preloaded, pass, fail and end as without`, { skip: skipWithout('express', ...packages), timeout: 240_000 }, async t => {
    const cwd = makeApplication(t, { files: { 'shop.test.mjs': testsOf(runner) }, fixtures: [], packages: ['express', ...packages] })
    for (const PASS of ['yes', 'no']) {
      const [bare, ...others] = await Promise.all([{}, { DOOR: 'middleware' }, { NODE_OPTIONS: PRELOAD }, { NODE_OPTIONS: PRELOAD, LOOPSCOPE_START_AT_ONCE: 'true' }].map(async env => {
        const { code, signal, stdout } = await endingOf(start(t, args(), { cwd, env: { ...OWN, PASS, ...env } }))
        return { code, signal, counts: countsOf(stdout) }
      }))
      assert.equal(bare.code, PASS === 'yes' ? 0 : 1)
      assert.notDeepEqual(bare.counts, [])
      for (const other of others) assert.deepEqual(other, bare)
    }
  })
}
