'use strict'

const assert = require('node:assert/strict')
const { once } = require('node:events')
const fs = require('node:fs')
const net = require('node:net')
const path = require('node:path')
const { test } = require('node:test')
const { filesIn, makeScratch } = require('../store/scratch')
const { startExample } = require('./example')

const hasSignals = process.platform !== 'win32'

test('the demo shows its stall and leaves a profile, a report and a flame graph', { skip: !hasSignals && 'Windows has no SIGUSR2' }, async t => {
  const dir = makeScratch(t)
  const demo = startExample(t, 'demo/demo.js', { args: ['--seconds', '3'], env: { LOOPSCOPE_DIR: dir } })
  assert.equal(await demo.ended, 0, demo.output)
  assert.match(demo.output, /^ +requests per second +\d/m)
  assert.match(demo.output, /^ +loop delay p99, ms +\d+ +[<\d]/m)
  assert.match(demo.output, /^ +\d+ +\d+ ms +\w+ +GET \/auth +auth examples\/demo\/app\.js:\d+ +pbkdf2Sync$/m)
  assert.match(demo.output, /^ +[\d.]+ +[\d.]+% +pbkdf2Sync [^\n]+\n +[\d.]+ +[\d.]+% +auth examples\/demo\/app\.js:\d+$/m)
  const endings = filesIn(dir).map(name => path.extname(name)).sort()
  assert.deepEqual(endings, ['.cpuprofile', '.html', '.txt'])
})

test('the demo of waits names the line that waits for a connection, and writes no file', async t => {
  const dir = makeScratch(t)
  const demo = startExample(t, 'demo/waits.js', { env: { LOOPSCOPE_DIR: dir } })
  assert.equal(await demo.ended, 0, demo.output)
  assert.match(demo.output, /^ +GET \/orders: \d+ requests of \d+ ms, \d+ % waiting\n(?: +\d+ of them not [^\n]+\n)? +SHARE [^\n]+\n +\d+ % .* acquire examples\/pool\.js:\d+ /m)
  assert.deepEqual(filesIn(dir), [])
})

test('the demo says so and fails when its port is taken', { skip: !hasSignals && 'Windows has no SIGUSR2' }, async t => {
  const server = net.createServer().listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  const demo = startExample(t, 'demo/demo.js', { env: { PORT: String(server.address().port) } })
  assert.equal(await demo.ended, 1)
  assert.match(demo.output, /The demo could not be run: the app did not start: .*EADDRINUSE/)
})

test('the demo says so and fails when its files cannot be written', { skip: !hasSignals && 'Windows has no SIGUSR2' }, async t => {
  const file = path.join(makeScratch(t), 'file')
  fs.writeFileSync(file, '')
  const demo = startExample(t, 'demo/demo.js', { env: { LOOPSCOPE_DIR: path.join(file, 'below') } })
  assert.equal(await demo.ended, 1)
  assert.match(demo.output, /The demo could not be run: .*cannot write captures to /)
})
