'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const { createHash } = require('node:crypto')
const { errors } = require('../../lib/base/errors')
const { createSubject, TOKENS } = require('./subject')

/** A capture that ends when it is told to. */
function slowCapture (subject) {
  const { capture } = subject.sources
  subject.sources.capture = (order, controls) => new Promise((resolve, reject) => {
    const finish = () => resolve(capture(order, controls))
    subject.finish = finish
    controls.stop.addEventListener('abort', finish)
    controls.signal.addEventListener('abort', () => reject(Object.assign(new Error('cancelled'), { code: 'ERR_LOOPSCOPE_CAPTURE_CANCELLED' })))
    controls.onProgress({ stage: 'recording' })
  })
  return subject
}

const post = (subject, body, how) => subject.ask('/captures', { method: 'POST', body, ...how })

async function ended (subject, id) {
  for (;;) {
    const { value } = await subject.ask(`/captures/${id}`)
    if (value.endedAt !== null) return value
    await new Promise(resolve => setTimeout(resolve, 5))
  }
}

test('a capture is accepted at once and can be followed to its artifact', async t => {
  const subject = createSubject(t)
  const { status, headers, value } = await post(subject, { kind: 'cpu', last: 5, label: 'before the fix' }, { base: '/ops' })
  assert.deepEqual([status, headers.Location, headers['Retry-After']], [202, `/ops/captures/${value.id}`, '1'])
  const { state, artifact, actor, label } = await ended(subject, value.id)
  assert.deepEqual([state, actor, label], ['succeeded', 'listener 127.0.0.1', 'before the fix'])
  const bytes = fs.readFileSync(subject.store.list()[0].path)
  assert.deepEqual([artifact.bytes, artifact.sha256], [bytes.length, createHash('sha256').update(bytes).digest('hex')])
  assert.deepEqual(subject.captures.map(({ kind, options, trigger }) => [kind, options, trigger]), [['cpu', { last: 5 }, 'http']])
})

test('each leaves one line in the log of the application', async t => {
  const subject = createSubject(t)
  const { value } = await post(subject, { kind: 'cpu' })
  await ended(subject, value.id)
  const [{ audit, message }] = subject.logged
  assert.deepEqual([audit.kind, audit.state, audit.actor], ['cpu', 'succeeded', 'listener 127.0.0.1'])
  assert.match(message, /^audit: cpu capture for listener 127\.0\.0\.1, cpu-shop-.+\.cpuprofile$/)
})

test('a client that prefers to wait gets it when it is done', async t => {
  const subject = createSubject(t)
  const { status, value } = await post(subject, { kind: 'cpu' }, { headers: { prefer: 'wait=10' } })
  assert.deepEqual([status, value.state], [201, 'succeeded'])
})

test('a client that waits and leaves cancels its capture', async t => {
  const subject = slowCapture(createSubject(t))
  const controller = new AbortController()
  const waiting = post(subject, { kind: 'cpu', seconds: 60 }, { headers: { prefer: 'wait=60' }, signal: controller.signal })
  while (subject.finish === undefined) await new Promise(resolve => setImmediate(resolve))
  controller.abort()
  assert.equal((await waiting).status, 409)
  assert.equal((await subject.ask('/captures')).value.captures[0].state, 'cancelled')
})

test('it can be stopped and kept, or cancelled', async t => {
  const subject = slowCapture(createSubject(t))
  const first = (await post(subject, { kind: 'cpu', seconds: 60 })).value
  assert.deepEqual([first.state, first.progress], ['running', { stage: 'recording' }])
  assert.equal((await subject.ask(`/captures/${first.id}?stop=1`, { method: 'DELETE' })).status, 202)
  assert.equal((await ended(subject, first.id)).state, 'succeeded')
  const second = (await post(subject, { kind: 'cpu', seconds: 60 })).value
  assert.equal((await subject.ask(`/captures/${second.id}`, { method: 'DELETE' })).status, 204)
  assert.equal((await ended(subject, second.id)).state, 'cancelled')
  assert.equal(subject.store.list().length, 1)
  assert.equal((await subject.ask('/captures/unheard', { method: 'DELETE' })).status, 404)
})

test('the same key is the same capture', async t => {
  const subject = createSubject(t)
  const headers = { 'idempotency-key': 'one' }
  const { value } = await post(subject, { kind: 'cpu' }, { headers })
  assert.equal((await post(subject, { kind: 'cpu' }, { headers })).value.id, value.id)
  assert.notEqual((await post(subject, { kind: 'cpu' }, { headers: { 'idempotency-key': 'two' } })).value.id, value.id)
  assert.equal((await post(subject, { kind: 'cpu' }, { headers: { 'idempotency-key': 'x'.repeat(129) } })).status, 400)
})

test('six in ten minutes, then the seventh gets a Retry-After', async t => {
  const subject = createSubject(t)
  const statuses = []
  for (let attempt = 0; attempt < 7; attempt++) statuses.push((await post(subject, { kind: 'cpu' })).status)
  assert.deepEqual(statuses, [202, 202, 202, 202, 202, 202, 429])
  const { headers, value } = await post(subject, { kind: 'cpu' })
  assert.ok(Number(headers['Retry-After']) > 590 && value.remedy.includes('GET /cpu'))
})

const SNAPSHOT = { kind: 'heap-snapshot' }
const WAIT = { headers: { prefer: 'wait=30' } }

test('a capture that was refused or failed uses nothing up', async t => {
  const subject = createSubject(t)
  const { capture } = subject.sources
  subject.sources.capture = async () => { throw new errors.ERR_LOOPSCOPE_SNAPSHOT_REFUSED('memory', 'less') }
  for (let attempt = 0; attempt < 5; attempt++) assert.equal((await post(subject, SNAPSHOT, WAIT)).status, 507)
  subject.sources.capture = capture
  for (let attempt = 0; attempt < 3; attempt++) assert.equal((await post(subject, SNAPSHOT, WAIT)).status, 201)
  assert.equal((await post(subject, SNAPSHOT, WAIT)).status, 429)
})

test('captures under way count, and a cancelled one does where it has stopped the process', async t => {
  const subject = slowCapture(createSubject(t))
  const begin = async body => {
    const { status, value } = await post(subject, body)
    assert.equal(status, 202)
    return value
  }
  const cancel = async ({ id }) => {
    await subject.ask(`/captures/${id}`, { method: 'DELETE' })
    await ended(subject, id)
  }
  const running = []
  for (let attempt = 0; attempt < 6; attempt++) running.push(await begin({ kind: 'cpu', seconds: 60 }))
  assert.equal((await post(subject, { kind: 'cpu', seconds: 60 })).status, 429)
  await cancel(running[0])
  await cancel(await begin({ kind: 'cpu', seconds: 60 }))
  for (const job of running.slice(1)) await cancel(job)
  for (let attempt = 0; attempt < 3; attempt++) await cancel(await begin(SNAPSHOT))
  assert.equal((await post(subject, SNAPSHOT)).status, 429)
})

test('a process of the group that requests on behalf of a client is not the owner, and names the client', async t => {
  const subject = createSubject(t)
  const asked = { endpoint: 'control', token: null, headers: { prefer: 'wait=5', 'x-loopscope-asked-for': 'listener 10.0.0.7' } }
  const forced = { ...SNAPSHOT, force: true }
  for (let count = 0; count < 3; count++) assert.equal((await post(subject, forced, asked)).status, 201)
  assert.equal((await post(subject, forced, asked)).status, 429)
  assert.equal(subject.captures[0].trigger, 'http')
  assert.match(subject.logged[0].audit.actor, /^listener 10\.0\.0\.7, through its group$/)
  const outside = await post(subject, { kind: 'cpu' }, { headers: { prefer: 'wait=5', 'x-loopscope-asked-for': 'somebody' } })
  assert.equal(outside.value.actor, 'listener 127.0.0.1', 'from outside nobody says for whom')
})

test('over the control socket force is not refused by the budget, elsewhere it is', async t => {
  const subject = createSubject(t)
  for (let attempt = 0; attempt < 3; attempt++) assert.equal((await post(subject, SNAPSHOT, WAIT)).status, 201)
  const forced = { ...SNAPSHOT, force: true }
  const control = { ...WAIT, endpoint: 'control', token: null, peer: null }
  const { status, value } = await post(subject, SNAPSHOT, control)
  assert.deepEqual([status, /force/.test(value.remedy)], [429, true])
  assert.equal((await post(subject, forced, WAIT)).status, 429)
  assert.equal((await post(subject, forced, control)).status, 201)
})

test('a body that is not one is refused, and costs no budget', async t => {
  const subject = createSubject(t)
  for (const body of ['', '{', '[]', 'null', '"cpu"', '{}', { kind: 'unheard' }, { kind: 5 }, { kind: 'cpu', seconds: -1 }, { kind: 'cpu', unheard: 1 }, { kind: 'cpu', label: 5 }, { kind: 'cpu', signal: {} }, { kind: 'cpu', format: 'svg' }, { kind: 'cpu', ['__pro' + 'to__']: 1, constructor: 2 }]) {
    assert.equal((await post(subject, body)).status, 400, JSON.stringify(body))
  }
  assert.equal((await post(subject, 'kind=cpu', { headers: { 'content-type': 'application/x-www-form-urlencoded' } })).status, 400)
  assert.deepEqual(subject.captures, [])
  assert.equal((await post(subject, { kind: 'cpu' })).status, 202)
})

test('a full store is 507, with the remedy', async t => {
  const subject = createSubject(t, { sources: { capture: async () => { throw new errors.ERR_LOOPSCOPE_STORE_FULL(5, '/x', 'nothing is free') } } })
  const { status, value } = await post(subject, { kind: 'cpu' }, { headers: { prefer: 'wait=5' } })
  assert.deepEqual([status, value.code], [507, 'ERR_LOOPSCOPE_STORE_FULL'])
  assert.match(value.remedy, /Delete artifacts/)
})

test('artifacts are listed, served whole or in part, and deleted with the scope manage', async t => {
  const subject = createSubject(t)
  const { name } = subject.store.write({ kind: 'cpu', extension: 'cpuprofile', at: Date.now(), appName: 'shop', bytes: Buffer.from('0123456789') })
  const { artifacts } = (await subject.ask('/artifacts')).value
  assert.deepEqual(artifacts.map(one => [one.name, one.kind, one.bytes]), [[name, 'cpu', 10]])
  const whole = await subject.ask(`/artifacts/${name}`)
  assert.deepEqual([whole.status, whole.body.start, whole.body.end], [200, 0, 9])
  assert.equal(whole.headers['Content-Disposition'], `attachment; filename="${name}"`)
  const etag = whole.headers.ETag
  const part = async (range, more = {}) => subject.ask(`/artifacts/${name}`, { headers: { range, ...more } })
  for (const [range, start, end] of [['bytes=2-4', 2, 4], ['bytes=7-', 7, 9], ['bytes=-3', 7, 9], ['bytes=0-99', 0, 9]]) {
    const { status, body, headers } = await part(range)
    assert.deepEqual([status, body.start, body.end, headers['Content-Range']], [206, start, end, `bytes ${start}-${end}/10`], range)
  }
  for (const range of ['bytes=10-', 'bytes=-0']) assert.deepEqual([(await part(range)).status, (await part(range)).headers['Content-Range']], [416, 'bytes */10'], range)
  for (const range of ['bytes=4-2', 'lines=1-2', 'bytes=1-2,4-5', 'bytes=x']) assert.equal((await part(range)).status, 200, range)
  assert.equal((await part('bytes=0-1', { 'if-range': '"another"' })).status, 200)
  assert.equal((await subject.ask(`/artifacts/${name}`, { headers: { 'if-none-match': etag } })).status, 304)
  assert.equal((await subject.ask(`/artifacts/${name}`, { method: 'DELETE', token: TOKENS.dump })).status, 403)
  assert.equal((await subject.ask(`/artifacts/${name}`, { method: 'DELETE' })).status, 204)
  assert.equal((await subject.ask(`/artifacts/${name}`, { method: 'DELETE' })).status, 404)
})

test('no name leads out of the store', async t => {
  const subject = createSubject(t)
  for (const name of ['..', '.', 'passwd', '..%2f..%2fetc%2fpasswd', '%2e%2e', 'a/b', '../../etc/passwd', 'x'.repeat(200), 'cpu\0']) {
    for (const method of ['GET', 'DELETE']) assert.equal((await subject.ask(`/artifacts/${name}`, { method })).status, 404, name)
  }
})

test('what a heap left in the store needs more than a profile', async t => {
  const subject = createSubject(t)
  const { name } = subject.store.write({ kind: 'heap-snapshot', extension: 'heapsnapshot', at: Date.now(), appName: 'shop', bytes: Buffer.from('{}') })
  assert.equal((await subject.ask(`/artifacts/${name}`, { token: TOKENS.profile })).status, 403)
  assert.equal((await subject.ask(`/artifacts/${name}`, { token: TOKENS.dump })).status, 200)
})
