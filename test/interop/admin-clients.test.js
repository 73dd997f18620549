'use strict'

// The tools that people point at the surface: go tool pprof, Prometheus, curl.

const assert = require('node:assert/strict')
const { execFile, spawnSync } = require('node:child_process')
const { test } = require('node:test')
const { promisify } = require('node:util')
const { get, recorded, run, TOKEN } = require('../admin/running')
const prometheus = require('./prometheus')

const exec = promisify(execFile)
const missing = name => spawnSync(name, [name === 'go' ? 'version' : '--version']).error ? `${name} is not installed` : false

async function listening (t) {
  const app = await run(t, { env: { LOOPSCOPE_SYNC_CALLS: 'on' } })
  const url = await app.listenerUrl()
  await recorded(url)
  return { ...app, admin: url, host: new URL(url).host }
}

test('go tool pprof reads every profile with the token in the URL, and shows loopscope\'s error without', { skip: missing('go'), timeout: 120_000 }, async t => {
  const { url, host, folder } = await listening(t)
  await get(`${url}/auth`)
  const env = { ...process.env, PPROF_TMPDIR: folder }
  const pprof = (place, token) => exec('go', ['tool', 'pprof', '-top', `http://x:${token}@${host}/debug/pprof/${place}`], { env })
  const busy = setInterval(() => get(`${url}/auth`).catch(() => {}), 100)
  t.after(() => clearInterval(busy))
  assert.match((await pprof('profile?seconds=1', TOKEN)).stdout, /^Type: cpu$[^]*pbkdf2Sync|PBKDF2Job|runSync/m)
  // Exact calls are told by the main thread, which on a busy machine may have no time for it.
  while (!/^Type: delay$[^]*crypto\.pbkdf2Sync/m.test((await pprof('block', TOKEN)).stdout));
  assert.match((await pprof('block?seconds=1', TOKEN)).stdout, /^Type: delay$/m)
  for (const kind of ['heap', 'allocs']) assert.match((await pprof(kind, TOKEN)).stdout, /^Type: (inuse|alloc)_/m)
  for (const kind of ['goroutine', 'mutex']) assert.match((await pprof(kind, TOKEN)).stdout, /^Showing nodes accounting for 0, 0% of 0 total$/m)
  for (const place of ['profile?seconds=1', 'block', 'heap', 'allocs']) {
    await assert.rejects(pprof(place, 'a-wrong-token-of-at-least-32-characters'), ({ stderr }) => /The token is not known\./.test(stderr), place)
  }
  await assert.rejects(pprof('profile?seconds=301', TOKEN), ({ stderr }) => /at most 300/.test(stderr))
})

test('Prometheus scrapes the listener with a token', { skip: prometheus.skip }, async t => {
  const { host, url } = await listening(t)
  const server = await prometheus.startPrometheus(t, { job_name: 'shop', authorization: { credentials: TOKEN }, static_configs: [{ targets: [host] }] })
  await get(`${url}/auth`)
  const isAtLeast = least => ([series]) => Number(series?.value[1]) >= least
  await prometheus.query(server, 'up', isAtLeast(1))
  // Whatever the cause: on a busy machine the stall may be one of a starved process.
  await prometheus.query(server, 'sum(loopscope_stalls_total)', isAtLeast(1))
  await prometheus.query(server, 'count_over_time(loopscope_eventloop_blocked_now_seconds[5m])', isAtLeast(3))
  await prometheus.query(server, 'loopscope_admin_requests_total{endpoint="metrics",code="200"}', isAtLeast(3))
})

test('curl reads a report and an artifact in parts', { skip: missing('curl') }, async t => {
  const { admin } = await listening(t)
  const curl = async (...args) => (await exec('curl', ['-sS', '--fail', '-H', `Authorization: Bearer ${TOKEN}`, ...args], { maxBuffer: 1e9 })).stdout
  assert.match(await curl(`${admin}/cpu?last=5&format=text`), /^CPU profile of admin-fixture/)
  const { artifact } = JSON.parse(await curl('-H', 'Content-Type: application/json', '-H', 'Prefer: wait=20', '-d', '{"kind":"cpu","seconds":0.1}', `${admin}/captures`))
  assert.equal((await curl('-r', '0-9', `${admin}/artifacts/${artifact.name}`)).length, 10)
})
