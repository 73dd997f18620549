'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { createSubject, TOKENS } = require('./subject')
const { get, recorded, run } = require('./running')

async function capture (url, body) {
  const response = await get(`${url}/captures`, { method: 'POST', headers: { 'content-type': 'application/json', prefer: 'wait=60' }, body: JSON.stringify(body) })
  const job = await response.json()
  assert.equal(response.status, 201, JSON.stringify(job))
  return { ...job, text: await (await get(`${url}/artifacts/${job.artifact.name}`)).text() }
}

test('heap profiles and histograms are taken over HTTP, and the CPU recorder goes on meanwhile', async t => {
  const app = await run(t)
  const url = await app.listenerUrl()
  await recorded(url)
  await get(`${app.url}/hold?count=1000`)
  const holding = setInterval(() => get(`${app.url}/hold?count=2000`).catch(() => {}), 100)
  const [cpu, profile, histogram] = await Promise.all([
    capture(url, { kind: 'cpu', seconds: 2 }),
    capture(url, { kind: 'heap-profile', seconds: 2, format: 'text' }),
    capture(url, { kind: 'heap-histogram', format: 'text' })
  ])
  clearInterval(holding)
  assert.match(profile.text, /^heap profile of admin-fixture[^\n]*\n\d+\.\d MB still alive, allocated in [^\n]*\n[^\n]*earlier allocations are not included[^]*\n *\d+\.\d\d +\d+\.\d% +\d+\.\d\d {2}holdOrders /)
  assert.match(histogram.text, /^heap histogram of admin-fixture[^]*the process stood still for \d+ ms\nCounts only: no sizes[^]*\n *\d{4,5} {2}Order\n/)
  assert.deepEqual([cpu.artifact.shortened, JSON.parse(cpu.text).nodes.some(({ callFrame }) => callFrame.functionName === 'holdOrders')], [null, true])
})

test('a histogram of the store is offered and fetched as one', async t => {
  const app = await run(t)
  const url = await app.listenerUrl()
  const { artifact, text } = await capture(url, { kind: 'heap-histogram' })
  const { artifacts } = await (await get(`${url}/artifacts`)).json()
  assert.deepEqual(artifacts.map(({ name, kind }) => [name, kind]), [[artifact.name, 'heap-histogram']])
  assert.match(artifact.name, /\.json$/)
  assert.equal(JSON.parse(text).type, 'loopscope-heap-histogram')
})

test('a heap profile needs the scope profile, a histogram the scope dump', async t => {
  const subject = createSubject(t)
  const ask = (kind, token) => subject.ask('/captures', { method: 'POST', body: { kind }, token })
  assert.equal((await ask('heap-profile', TOKENS.profile)).status, 202)
  assert.deepEqual([await ask('heap-histogram', TOKENS.profile), await ask('heap-histogram', TOKENS.dump)].map(({ status }) => status), [403, 202])
})
