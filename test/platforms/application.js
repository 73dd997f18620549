'use strict'

// A small service that is the same on every platform. It writes its address to the file that it is given: pipes are not what is tested.

const fs = require('node:fs')
const path = require('node:path')
const { setTimeout: sleep } = require('node:timers/promises')
const express = require('express')
const diagnostics = require('../..')

const [, , addressFile, folder] = process.argv

const observed = diagnostics({ appName: 'smoke', token: 'only-for-the-smoke-test-of-platforms', dir: path.join(folder, 'captures') })
const app = express()
app.use(observed)
// In the handler itself: V8 shows the time of a small function as its caller's where it inlines it.
app.get('/block/:ms', function spin (request, response) {
  const until = performance.now() + Number(request.params.ms)
  while (performance.now() < until);
  response.send('ok')
})
app.get('/wait', async function wait (request, response) {
  await sleep(20)
  response.send('ok')
})
app.get('/api', async function report (request, response) {
  const [stalls, { findings }] = await Promise.all([observed.stalls(), observed.findings()])
  response.json({ stalls, findings, delay: observed.delay(), platform: process.platform })
})
app.get('/capture', async function capture (request, response) {
  const { path: file, bytes } = await observed.capture('cpu', { last: 10 })
  response.json({ file, bytes, written: fs.statSync(file).size })
})
app.get('/end', async function end (request, response) {
  response.send('ok')
  await observed.close()
  process.exit()
})

const server = app.listen(0, '127.0.0.1', () => fs.writeFileSync(addressFile, JSON.stringify({ pid: process.pid, port: server.address().port })))
