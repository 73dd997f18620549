'use strict'

const assert = require('node:assert/strict')
const { test } = require('node:test')
const { askAdmin, startExample } = require('./example')

const SUM = { sum: 990_000 }

test('examples/workers.js counts how often a worker asks for the time', async t => {
  const example = startExample(t, 'workers.js', { env: { WORKERS: '1' } })
  const url = await example.address()
  for (let site; site === undefined;) {
    assert.deepEqual(await (await fetch(`${url}/prices`)).json(), SUM)
    const { exact } = await askAdmin(example, '/sync-calls')
    site = exact?.find(({ api, callSite, calls }) => api === 'Date.now' && callSite.file === 'examples/workers.js' && calls >= 20_000)
    if (site) assert.deepEqual(site.routes.map(({ route }) => route), ['GET /prices'])
  }
})

test('examples/workers.js answers the same by the clock', async t => {
  const example = startExample(t, 'workers.js', { env: { WORKERS: '2', CLOCK: '1' } })
  const url = await example.address()
  for (let request = 0; request < 4; request++) assert.deepEqual(await (await fetch(`${url}/prices`)).json(), SUM)
})
