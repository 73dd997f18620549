'use strict'

const assert = require('node:assert/strict')
const { test } = require('node:test')
const { FORMATS } = require('../../lib/formats/formats')
const { drive } = require('../process/child')
const { readRecorded } = require('../fixtures/profiles/profiles')

const read = (profile, context) => JSON.parse(FORMATS.trace.encode(profile, context))
const detailOf = ({ args }) => JSON.parse(args.detail ?? args.data.detail).devtools

for (const { name, profile } of readRecorded()) {
  test(`the samples of ${name} are all there, in pieces whose times add up`, () => {
    const { traceEvents } = read(profile)
    const chunks = traceEvents.filter(event => event.name === 'ProfileChunk').map(({ args }) => args.data)
    assert.deepEqual(chunks.flatMap(({ cpuProfile }) => cpuProfile.samples), profile.samples)
    assert.deepEqual(chunks.flatMap(({ timeDeltas }) => timeDeltas), profile.timeDeltas)
    const [{ cpuProfile: { nodes } }] = chunks
    assert.deepEqual(nodes.map(({ id }) => id), profile.nodes.map(({ id }) => id))
    const parents = new Map(nodes.map(({ id, parent }) => [id, parent]))
    for (const { id, children = [] } of profile.nodes) for (const child of children) assert.equal(parents.get(child), id)
    assert.equal(traceEvents.find(event => event.name === 'Profile').args.data.startTime, profile.startTime)
  })
}

test('what happened besides is in tracks, on the clock of the samples, and nothing of another time', () => {
  const [{ profile }] = readRecorded()
  const span = (name, fromMs, toMs) => ({ name, fromMicros: profile.startTime + fromMs * 1e3, toMicros: profile.startTime + toMs * 1e3, properties: [['route', 'POST /login']] })
  const { traceEvents, metadata } = read(profile, {
    title: 'shop (pid 12)',
    startedAt: 0,
    events: () => ({
      stalls: [span('code: pbkdf2Sync', 10, 130), span('earlier', -90, -10)],
      requests: [span('POST /login', -5, 140)],
      collections: [span('major', 20, 25)],
      marks: [{ name: 'deploy 42', atMicros: profile.startTime + 7 }, { name: 'before', atMicros: 5 }]
    })
  })
  const begins = traceEvents.filter(({ ph }) => ph === 'b')
  assert.deepEqual(begins.map(event => [detailOf(event).track, event.name, Math.round(event.ts - profile.startTime)]), [
    ['Stalls', 'code: pbkdf2Sync', 10_000],
    ['Requests', 'POST /login', -5000],
    ['Garbage collection', 'major', 20_000]
  ])
  for (const { id2, ts } of begins) assert.ok(traceEvents.find(({ ph, id2: other }) => ph === 'e' && other.local === id2.local).ts > ts)
  assert.deepEqual(detailOf(begins[0]).properties, [['route', 'POST /login']])
  assert.deepEqual(traceEvents.filter(event => event.ph === 'I' && event.cat === 'blink.user_timing').map(({ name }) => name), ['deploy 42'])
  assert.equal(metadata.title, 'shop (pid 12)')
})

test('a trace of a real process has its stall, a collection and a mark', async t => {
  const app = await drive(t)
  const text = await app.run(async ({ handle, ready, require }) => {
    await ready()
    const http = require('node:http')
    require('node:v8').setFlagsFromString('--expose-gc')
    const gc = require('node:vm').runInNewContext('gc')
    const server = http.createServer((request, response) => {
      gc()
      const untilMs = performance.now() + 400
      while (performance.now() < untilMs) require('node:crypto').pbkdf2Sync('a', 'b', 5e4, 32, 'sha256')
      response.end()
    })
    await new Promise(resolve => server.listen(0, '127.0.0.1', resolve))
    handle.mark('deploy 42')
    const stalled = new Promise(resolve => handle.once('stall', resolve))
    await fetch(`http://127.0.0.1:${server.address().port}/login`).then(response => response.text())
    await stalled
    const artifact = await handle.capture('cpu', { last: 20, format: 'trace' })
    server.close()
    return artifact.text()
  })
  const { traceEvents } = JSON.parse(text)
  const tracks = traceEvents.filter(({ ph }) => ph === 'b').map(event => detailOf(event).track)
  assert.ok(tracks.includes('Stalls') && tracks.includes('Garbage collection'), String(tracks))
  assert.ok(traceEvents.some(({ name }) => name === 'deploy 42'))
  assert.ok(traceEvents.some(({ ph, name }) => ph === 'b' && /^(?:code|gc|starved|unknown)(?:: |$)/.test(name)))
  const samples = traceEvents.filter(({ name }) => name === 'ProfileChunk').flatMap(({ args }) => args.data.cpuProfile.samples)
  assert.ok(samples.length > 10)
})
