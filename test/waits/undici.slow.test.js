'use strict'

// The package undici, and what clients of PostgreSQL do not report.

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { serve } = require('./serving')
const { load, skipWithout } = require('./servers')
const { assertOneAtATime, startUpstream } = require('./upstream')

test('undici: request(), fetch() and a pool, each request until its last byte', { skip: skipWithout('undici') }, async t => {
  const undici = load('undici')
  const { seen, url, target } = await startUpstream(t)
  const pool = new undici.Pool(url(''))
  t.after(() => pool.destroy())
  const { ask, waits, counted } = await serve(t, async () => {
    await (await undici.request(url('/80'))).body.text()
    await (await undici.fetch(url('/80/late'), { method: 'POST', body: 'secret' })).text()
    await (await pool.request({ path: '/bad/secret', method: 'GET' })).body.dump()
  })
  await ask()
  const { [`http GET ${target}`]: get, [`http POST ${target}`]: post } = await waits()
  assert.deepEqual([get.calls, get.errors, post.calls, post.errors], [2, 1, 1, 0])
  const counts = await counted()
  const ms = counts[`http GET ${target}`].ms + counts[`http POST ${target}`].ms
  assert.ok(seen.requests === 3 && ms >= seen.ms * 0.9, `${ms}, the server took ${seen.ms}`)
  assert.ok(!JSON.stringify(counts).includes('secret'))
})

test('undici: a client that sends one request after the other', { skip: skipWithout('undici') }, async t => {
  const undici = load('undici')
  const upstream = await startUpstream(t)
  const client = new undici.Client(upstream.url(''))
  t.after(() => client.destroy())
  const served = await serve(t, async () => {
    await Promise.all([1, 2, 3].map(async () => (await client.request({ path: '/100', method: 'GET' })).body.text()))
  })
  await assertOneAtATime(served, upstream)
})

// When this fails, the library has learned to: it gets a row in lib/probe/waits/libraries.js, and its line in docs/dependency-calls.md another text.
test('pg and pg-pool report nothing', { skip: skipWithout('pg') }, () => {
  const sources = ['pg/lib', 'pg-pool'].flatMap(folder => filesIn(path.join(__dirname, 'node_modules', folder)))
  assert.ok(sources.length >= 5)
  assert.deepEqual(sources.filter(file => fs.readFileSync(file, 'utf8').includes('diagnostics_channel')), [])
})

/** @param {string} folder */
function filesIn (folder) {
  return fs.readdirSync(folder, { recursive: true }).map(String).filter(file => /^(?!test\/|node_modules\/).*\.js$/.test(file)).map(file => path.join(folder, file))
}
