'use strict'

const assert = require('node:assert/strict')
const { test } = require('node:test')
const { askUntilLogged, startExample } = require('./example')

test('examples/express.js logs the stall of its slow route with route and code', async t => {
  const example = startExample(t, 'express.js')
  const url = await example.address()
  const { stall, msg } = await askUntilLogged(example, `${url}/report`, ({ stall }) => stall?.culprit && !stall.lasting && stall.route !== null)
  assert.equal(stall.route, 'GET /report')
  assert.equal(stall.culprit.function, 'report')
  assert.equal(stall.culprit.file, 'examples/express.js')
  assert.match(msg, /^event loop stalled \d+ ms in GET \/report(?: while starting up)?: /)
})

test('examples/express.js logs the stall of its login with the synchronous call', async t => {
  const example = startExample(t, 'express.js')
  const url = await example.address()
  const { stall } = await askUntilLogged(example, `${url}/login`, ({ stall }) => stall?.culprit?.call && !stall.lasting && stall.route !== null, { method: 'POST' })
  assert.equal(stall.route, 'POST /login')
  assert.equal(stall.culprit.function, 'login')
  assert.equal(stall.culprit.call, 'pbkdf2Sync')
})

test('examples/express.js serves the metrics of its routes', async t => {
  const example = startExample(t, 'express.js')
  const url = await example.address()
  assert.equal(await (await fetch(url)).text(), 'ok')
  const metrics = await (await fetch(`${url}/metrics`)).text()
  assert.match(metrics, /^http_server_request_duration_seconds_count\{[^}]*http_route="\/"[^}]*\} 1$/m)
  assert.match(metrics, /^nodejs_eventloop_delay_seconds_count \d+$/m)
})

test('examples/express.js ends by itself on SIGTERM', async t => {
  const example = startExample(t, 'express.js')
  const url = await example.address()
  await (await fetch(url)).text()
  example.kill('SIGTERM')
  assert.equal(await example.ended, 0)
})
