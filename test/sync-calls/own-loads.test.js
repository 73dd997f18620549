'use strict'

// What a preload loads for itself when the process has settled, and later, is no call of the application's.

const test = require('node:test')
const assert = require('node:assert/strict')
const { execFile } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { promisify } = require('node:util')
const { makeShortScratch } = require('../store/scratch')

const PROJECT = path.join(__dirname, '..', '..')
const APPLICATION = `
  const fs = require('node:fs')
  require('node:http').createServer(() => {}).listen(0, '127.0.0.1', () => fs.existsSync('/'))
  const { diagnostics } = require(${JSON.stringify(PROJECT)})
  const poll = setInterval(async () => {
    if (!Object.keys(require.cache).some(file => file.includes('prom-client'))) return
    clearInterval(poll)
    const { exact, startUp } = await diagnostics().syncCalls()
    console.log(JSON.stringify([...exact, ...startUp.sites].map(({ api, callSite: { file } }) => [api, file])))
    process.exit()
  }, 20)
`

test('the logger and the metrics client that are loaded later are not in the lists', async t => {
  const folder = makeShortScratch(t)
  fs.writeFileSync(path.join(folder, 'app.js'), APPLICATION)
  fs.writeFileSync(path.join(folder, 'package.json'), '{ "dependencies": { "prom-client": "*" } }')
  const env = { ...process.env, NODE_OPTIONS: '', TMPDIR: folder, LOOPSCOPE_SYNC_CALLS: 'on' }
  const { stdout } = await promisify(execFile)(process.execPath, ['--require', path.join(PROJECT, 'register.js'), 'app.js'], { cwd: folder, env, timeout: 60_000 })
  const calls = JSON.parse(stdout)
  assert.ok(calls.some(([api, file]) => api === 'fs.existsSync' && file === 'app.js'), stdout)
  assert.deepEqual(calls.filter(([, file]) => /pino|prom-client|sonic-boom|thread-stream/.test(file)), [])
})
