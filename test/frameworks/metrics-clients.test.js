'use strict'

// prom-client and its successor: an application has the one or the other, or both for a while.

const assert = require('node:assert/strict')
const { spawnSync } = require('node:child_process')
const path = require('node:path')
const test = require('node:test')
const { skipWithout } = require('./installed')
const { eventually, makeApplication, start, PRELOAD } = require('./environment')

const skip = skipWithout('@prometheus-io/client', 'express')
const SUCCESSOR = '@prometheus-io/client'
const TOKEN = 'a-token-of-at-least-thirty-two-characters'

const shop = client => `
const express = require('express')
const { Counter, register } = require(${JSON.stringify(client)})
const orders = new Counter({ name: 'shop_orders_total', help: 'Orders' })
const app = express()
if (process.env.DOOR === 'middleware') app.use(require('loopscope')({ registry: register }))
app.get('/order/:id', (request, response) => { orders.inc(); response.send('ordered') })
app.get('/metrics', async (request, response) => response.type(register.contentType).send(await register.metrics()))
const server = app.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ msg: 'listening', port: server.address().port, pid: process.pid })))
`

for (const client of ['prom-client', SUCCESSOR]) {
  for (const [door, env] of [['options.registry', { DOOR: 'middleware' }], ['the preload', { NODE_OPTIONS: PRELOAD }]]) {
    test(`${client}, by ${door}: its registry has the metrics of the application and ours`, { skip }, async t => {
      const manifest = JSON.stringify({ name: 'shop', dependencies: { [client]: '*' } })
      const folder = makeApplication(t, { files: { 'package.json': manifest, 'shop.js': shop(client) }, fixtures: [], packages: ['express', SUCCESSOR], ofProject: ['prom-client'] })
      const app = start(t, ['shop.js'], { cwd: folder, env })
      const { port } = await app.until(/^listening$/)
      const get = async url => (await fetch(`http://127.0.0.1:${port}${url}`)).text()
      await get('/order/7')
      const metrics = await get('/metrics')
      assert.match(metrics, /^shop_orders_total 1$/m)
      assert.match(metrics, /^nodejs_eventloop_delay_seconds_bucket\{le="0\.001"\} \d+$/m)
      assert.match(metrics, /^http_server_request_duration_seconds_count\{[^}]*http_route="\/order\/:id"[^}]*\} 1$/m)
      assert.deepEqual(app.lines().filter(({ code }) => code !== undefined), [])
    })
  }
}

test(`${SUCCESSOR}, by options.registry: the metrics of a group are those of all its processes`, { skip }, async t => {
  const manifest = JSON.stringify({ name: 'shop', dependencies: { [SUCCESSOR]: '*' } })
  const folder = makeApplication(t, { files: { 'package.json': manifest, 'shop.js': shop(SUCCESSOR) }, fixtures: [], packages: ['express', SUCCESSOR], ofProject: ['prom-client'] })
  const env = { DOOR: 'middleware', TMPDIR: folder, LOOPSCOPE_TOKEN: TOKEN }
  const ports = await Promise.all([1, 2].map(async () => (await start(t, ['shop.js'], { cwd: folder, env }).until(/^listening$/)).port))
  for (const port of ports) await (await fetch(`http://127.0.0.1:${port}/order/7`)).text()
  const metrics = await eventually(async () => {
    const response = await fetch(`http://127.0.0.1:${ports[0]}/diagnostics/metrics?group=1`, { headers: { authorization: `Bearer ${TOKEN}` } })
    const text = await response.text()
    return text.match(/^loopscope_up\{.*\} 1$/gm)?.length === 2 && text
  })
  assert.match(metrics, /^shop_orders_total 2$/m)
  assert.match(metrics, /^http_server_request_duration_seconds_count\{[^}]*http_route="\/order\/:id"[^}]*\} 2$/m)
})

test('TypeScript takes a registry of either for options.registry', { skip }, t => {
  const use = `
import diagnostics from 'loopscope'
import * as older from 'prom-client'
import * as newer from '${SUCCESSOR}'
export const both = [older.register, new newer.Registry()].map(registry => diagnostics({ registry }))
`
  const folder = makeApplication(t, { files: { 'use.mts': use }, fixtures: [], packages: [SUCCESSOR], ofProject: ['prom-client', '@types/node'] })
  const args = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--types', 'node', 'use.mts']
  const compiler = path.join(__dirname, '../../node_modules/typescript/bin/tsc') // the project's: a package here may bring another
  const { status, stdout } = spawnSync(process.execPath, [compiler, ...args], { cwd: folder, encoding: 'utf8' })
  assert.equal(status, 0, stdout)
})
