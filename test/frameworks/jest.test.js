'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { execFile } = require('node:child_process')
const path = require('node:path')
const { PACKAGES, commandOf, skipWithout } = require('./installed')
const { makeApplication } = require('./environment')

const FILES = 3
// The recorder looks around once a second, also for applications whose test file is over.
const OUTLIVES_MS = 1500

const testFile = number => `
const app = require('express')()
app.use(require('loopscope')())
app.get('/', (req, res) => res.send('answer'))

test('file ${number} gets an answer', async () => {
  const server = app.listen(0, '127.0.0.1')
  await new Promise(resolve => server.once('listening', resolve))
  const answer = await fetch('http://127.0.0.1:' + server.address().port)
  expect(await answer.text()).toBe('answer')
  await new Promise(resolve => setTimeout(resolve, ${number === FILES ? OUTLIVES_MS : 0}))
  server.close()
})
`

test('Jest passes test files that require an application with diagnostics and never close it', { skip: skipWithout('jest', 'express') }, async t => {
  const tests = Array.from({ length: FILES }, (_, index) => [`file-${index + 1}.test.js`, testFile(index + 1)])
  const folder = makeApplication(t, {
    files: { 'package.json': JSON.stringify({ name: 'shop', jest: { testTimeout: 60_000 } }), ...Object.fromEntries(tests) },
    fixtures: []
  })
  const { code, stdout, stderr } = await run([commandOf('jest'), '--runInBand', '--watchman=false'], folder)
  assert.equal(code, 0, stdout + stderr)
  assert.doesNotMatch(stderr, /torn down/)
  assert.match(stderr, new RegExp(`Tests: +${FILES} passed, ${FILES} total`))
})

/**
 * @param {string[]} args
 * @param {string} folder
 */
function run (args, folder) {
  return new Promise(resolve => {
    const env = { ...process.env, NODE_PATH: PACKAGES, LOOPSCOPE_DIR: path.join(folder, 'captures') }
    execFile(process.execPath, args, { cwd: folder, env }, (error, stdout, stderr) => resolve({ code: error?.code ?? 0, stdout, stderr }))
  })
}
