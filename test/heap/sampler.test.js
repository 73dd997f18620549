'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { Session } = require('node:inspector')
const { gunzipSync } = require('node:zlib')
const { Profile } = require('pprof-format')
const { encodeHeapPprof } = require('../../lib/formats/pprof')
const { HeapSampler } = require('../../lib/observer/heap/sampler')

/** A sampler of this very process. */
function createSubject (t) {
  const session = new Session()
  session.connect()
  const post = (method, params) => new Promise((resolve, reject) => session.post(method, params, (error, reply) => error ? reject(error) : resolve(reply)))
  const sampler = new HeapSampler({ post, intervalBytes: 16 * 1024, firstSeconds: 0.05 })
  t.after(async () => {
    await sampler.stop()
    session.disconnect()
  })
  return sampler
}

const held = []
function hold () { for (let index = 0; index < 20_000; index++) held.push({ index, text: `text ${index}` }) }
function churn () { for (let index = 0; index < 200_000; index++) JSON.parse(`{"index":${index}}`) }

/** Bytes by the innermost function of the pprof profile. */
function bytesByFunction (sampling, kind) {
  const { sample, location, function: functions, stringTable: { strings }, sampleType, defaultSampleType } = Profile.decode(gunzipSync(encodeHeapPprof({ ...sampling, kind }, { appRoot: __dirname })))
  assert.deepEqual(sampleType.map(({ type }) => strings[type]), ['samples', `${kind}_space`])
  assert.equal(strings[defaultSampleType], `${kind}_space`)
  const bytes = {}
  for (const { locationId: [leaf], value } of sample) {
    const { line: [{ functionId }] } = location.find(({ id }) => id === leaf)
    const name = strings[functions.find(({ id }) => id === functionId).name]
    bytes[name] = (bytes[name] ?? 0) + Number(value[1])
  }
  return bytes
}

test('what is alive is charged to the function that allocated it, what was collected to nobody', async t => {
  const sampler = createSubject(t)
  await sampler.sample({ mode: 'live', seconds: null })
  hold()
  churn()
  const { hold: holding = 0, churn: churning = 0 } = bytesByFunction(await sampler.sample({ mode: 'live', seconds: null, collect: true }), 'inuse')
  assert.ok(holding > 500_000, `${holding}`)
  assert.ok(churning < holding / 4, `${churning} of ${holding}`)
})

test('all that was allocated is charged, also when it is gone', async t => {
  const sampler = createSubject(t)
  await sampler.sample({ mode: 'all', seconds: null })
  churn()
  const { churn: churning = 0 } = bytesByFunction(await sampler.sample({ mode: 'all', seconds: null, collect: true }), 'alloc')
  assert.ok(churning > 1_000_000, `${churning}`)
})

test('a stretch of time has only what is new in it', async t => {
  const sampler = createSubject(t)
  await sampler.sample({ mode: 'live', seconds: null })
  hold()
  const { hold: holding = 0 } = bytesByFunction(await sampler.sample({ mode: 'live', seconds: 0.01 }), 'inuse')
  assert.equal(holding, 0)
})

test('it is off until it is needed, stops once, and an aborted wait is reported', async t => {
  const sampler = createSubject(t)
  assert.equal(sampler.running, false)
  await sampler.stop()
  await sampler.sample({ mode: 'live', seconds: null })
  assert.equal(sampler.running, true)
  await assert.rejects(sampler.sample({ mode: 'live', seconds: 60 }, AbortSignal.abort()), { name: 'AbortError' })
  await sampler.stop()
  await sampler.stop()
  assert.equal(sampler.running, false)
})
