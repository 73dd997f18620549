'use strict'

const assert = require('node:assert/strict')
const { test } = require('node:test')
const { startExample } = require('./example')

test('examples/shared-registry.js serves the metrics of the service, of prom-client and of loopscope on one route', async t => {
  const example = startExample(t, 'shared-registry.js')
  const url = await example.address()
  assert.deepEqual(await (await fetch(`${url}/order/tea`)).json(), { item: 'tea' })
  const metrics = await (await fetch(`${url}/metrics`)).text()
  assert.match(metrics, /^shop_orders_total 1$/m)
  assert.match(metrics, /^process_cpu_seconds_total /m)
  assert.match(metrics, /^http_server_request_duration_seconds_count\{[^}]*http_route="\/order\/:item"[^}]*\} 1$/m)
})
