'use strict'

// The tools that people point at the surface: go tool pprof, Prometheus, curl.

const assert = require('node:assert/strict')
const { execFile, spawn, spawnSync } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const { createServer } = require('node:net')
const path = require('node:path')
const { setTimeout: sleep } = require('node:timers/promises')
const { test } = require('node:test')
const { promisify } = require('node:util')
const { get, recorded, run, TOKEN } = require('../admin/running')

const exec = promisify(execFile)
const missing = name => spawnSync(name, [name === 'go' ? 'version' : '--version']).error ? `${name} is not installed` : false

async function listening (t) {
  const app = await run(t, { env: { LOOPSCOPE_SYNC_CALLS: 'on' } })
  const url = await app.listenerUrl()
  await recorded(url)
  return { ...app, admin: url, host: new URL(url).host }
}

test('go tool pprof reads every profile with the token in the URL, and shows our sentence without', { skip: missing('go'), timeout: 120_000 }, async t => {
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
  for (const place of ['profile?seconds=1', 'block', 'heap', 'allocs']) {
    await assert.rejects(pprof(place, 'a-wrong-token-of-at-least-32-characters'), ({ stderr }) => /The token is not known\./.test(stderr), place)
  }
  await assert.rejects(pprof('profile?seconds=301', TOKEN), ({ stderr }) => /at most 300/.test(stderr))
})

test('Prometheus scrapes the listener with a token', { skip: missing('prometheus'), timeout: 120_000 }, async t => {
  const { host, folder, url } = await listening(t)
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address()
  await new Promise(resolve => probe.close(resolve))
  const config = path.join(folder, 'prometheus.json')
  fs.writeFileSync(config, JSON.stringify({
    global: { scrape_interval: '1s' },
    scrape_configs: [{ job_name: 'shop', authorization: { credentials: TOKEN }, static_configs: [{ targets: [host] }] }]
  }))
  const prometheus = spawn('prometheus', [`--config.file=${config}`, `--storage.tsdb.path=${path.join(folder, 'data')}`, `--web.listen-address=127.0.0.1:${port}`], { stdio: 'ignore' })
  t.after(() => prometheus.kill('SIGKILL'))
  await get(`${url}/auth`)
  for (const [expression, isRight] of [
    ['up', result => result[0]?.value[1] === '1'],
    ['loopscope_stalls_total{cause="code"}', result => Number(result[0]?.value[1]) >= 1],
    ['count_over_time(loopscope_eventloop_blocked_now_seconds[5m])', result => Number(result[0]?.value[1]) >= 3],
    ['loopscope_admin_requests_total{endpoint="metrics",code="200"}', result => Number(result[0]?.value[1]) >= 3]
  ]) {
    for (;;) {
      const answer = await fetch(`http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(expression)}`).then(response => response.json()).catch(() => null)
      if (isRight(answer?.data?.result ?? [])) break
      await sleep(200)
    }
  }
})

test('curl reads a report and an artifact in parts', { skip: missing('curl') }, async t => {
  const { admin } = await listening(t)
  const curl = async (...args) => (await exec('curl', ['-sS', '--fail', '-H', `Authorization: Bearer ${TOKEN}`, ...args], { maxBuffer: 1e9 })).stdout
  assert.match(await curl(`${admin}/cpu?last=5&format=text`), /^CPU profile of admin-fixture/)
  const { artifact } = JSON.parse(await curl('-H', 'Content-Type: application/json', '-H', 'Prefer: wait=20', '-d', '{"kind":"cpu","seconds":0.1}', `${admin}/captures`))
  assert.equal((await curl('-r', '0-9', `${admin}/artifacts/${artifact.name}`)).length, 10)
})
