'use strict'

// What waits on disk: private, bounded, taken over by one process alone, sent until it has arrived.

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { Queue } = require('../../lib/observer/egress/queue')
const { Sender, retryDelayMs } = require('../../lib/observer/egress/sender')
const { withoutSecrets, withSecrets } = require('../../lib/observer/egress/url-secrets')
const { askedDelayMs } = require('../../lib/observer/egress/send-request')
const { createStore } = require('../../lib/observer/store/store')
const { receive } = require('./receiver')

const MIB = 1024 ** 2

function newQueue (t, { dir, owner = 'one', maxBytes = MIB, ...more } = {}) {
  const folder = dir ?? path.join(fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), 'loopscope-egress-')), 'queue')
  t.after(() => fs.rmSync(path.dirname(folder), { recursive: true, force: true }))
  let dropped = 0
  const queue = new Queue({ dir: folder, owner, maxBytes, minFreeBytes: 0, maxAgeMs: 60_000, onDropped: count => { dropped += count }, ...more })
  let count = 0
  return {
    queue,
    dir: folder,
    get dropped () { return dropped },
    put (url, bytes = 100, isUrgent = false) {
      return queue.put({ atMs: Date.now() - 1000 + count++, method: 'PUT', url, headers: {} }, Buffer.alloc(bytes, 'x'), { isUrgent })
    }
  }
}

function newSender (t, queue, url, { headers = {}, isUrgent = false } = {}) {
  const outcomes = []
  const sender = new Sender({ queue, isUrgent, settings: { url, headers }, addressOf: url => url, onOutcome: (outcome, problem) => outcomes.push({ outcome, problem }), delayMs: () => 5 })
  t.after(() => sender.stop())
  return { sender, outcomes }
}

test('everything arrives once at a server that fails every other time', async t => {
  const receiver = await receive(t, { answer: (request, number) => number % 2 === 1 ? 503 : 200 })
  const address = `http://127.0.0.1:${receiver.port}`
  const { queue, put } = newQueue(t)
  const urls = Array.from({ length: 10 }, (_, at) => `/item-${at}`)
  for (const url of urls) put(address + url)
  const { sender, outcomes } = newSender(t, queue, address)
  sender.wake()
  await receiver.until(() => receiver.taken.length === urls.length)
  assert.deepEqual(receiver.taken.map(({ url }) => url), urls)
  while (queue.bytes > 0) await new Promise(resolve => setImmediate(resolve))
  assert.equal(outcomes.filter(({ outcome }) => outcome === 'retried').length, urls.length)
})

test('what a server refuses for good is not tried again', async t => {
  const receiver = await receive(t, { answer: ({ url }) => url === '/bad' ? 403 : 200 })
  const address = `http://127.0.0.1:${receiver.port}`
  const { queue, put } = newQueue(t)
  put(`${address}/bad`)
  put(`${address}/good`)
  const { sender, outcomes } = newSender(t, queue, address)
  sender.wake()
  await receiver.until(() => receiver.taken.length === 1)
  while (queue.bytes > 0) await new Promise(resolve => setImmediate(resolve))
  assert.equal(receiver.requests, 2)
  assert.deepEqual(outcomes[0], { outcome: 'refused', problem: 'it answered 403' })
})

test('secrets are added when it is sent, and are not on disk', async t => {
  const receiver = await receive(t)
  const configured = `http://user:hunter2@127.0.0.1:${receiver.port}/{file}?sig=hunter3`
  const { queue, put, dir } = newQueue(t)
  put(withSecrets(`${withoutSecrets(configured).replace('{file}', 'one')}?own=1`, 'http://other').href)
  const [file] = fs.readdirSync(path.join(dir, 'one')).map(name => path.join(dir, 'one', name))
  assert.ok(!/hunter|sig/.test(fs.readFileSync(file, 'utf8')))
  assert.equal(fs.statSync(file).mode & 0o777, 0o600)
  assert.equal(fs.statSync(path.dirname(file)).mode & 0o777, 0o700)
  newSender(t, queue, configured, { headers: { 'x-token': 'hunter4' } }).sender.wake()
  await receiver.until(() => receiver.taken.length === 1)
  const [{ url, headers }] = receiver.taken
  assert.equal(url, '/one?own=1&sig=hunter3')
  assert.equal(headers['x-token'], 'hunter4')
  assert.equal(headers.authorization, `Basic ${Buffer.from('user:hunter2').toString('base64')}`)
})

test('it is bounded: the oldest goes, what is too large does not come in', t => {
  const queue = newQueue(t, { maxBytes: 1000 })
  for (let at = 0; at < 5; at++) assert.equal(queue.put(`http://host/${at}`, 300), true)
  assert.equal(queue.put('http://host/large', 2000), false)
  assert.ok(queue.queue.bytes <= 1000)
  assert.equal(queue.dropped, 3)
  const first = queue.queue.hold(queue.queue.first(false))
  assert.equal(first.url, 'http://host/3')
})

test('what dead processes left is taken over by one of two', async t => {
  const dead = newQueue(t, { owner: 'dead' })
  for (let at = 0; at < 4; at++) dead.put(`http://host/${at}`)
  const [left, right] = ['left', 'right'].map(owner => newQueue(t, { dir: dead.dir, owner }).queue)
  const isGone = owner => owner === 'dead'
  left.sweep(isGone)
  right.sweep(isGone)
  assert.ok(left.bytes > 0)
  assert.equal(right.bytes, 0)
  assert.equal(fs.existsSync(path.join(dead.dir, 'dead')), false)
})

test('the queue of an application that never comes back is cleared by another one', t => {
  const dir = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), 'loopscope-egress-'))
  t.after(() => fs.rmSync(dir, { recursive: true }))
  const gone = createStore({ dir, application: { appName: 'gone', appRoot: '/gone' }, retention: { maxAgeMs: 60_000 } })
  gone.prepare()
  newQueue(t, { dir: path.join(gone.dir, 'egress', 'destination') }).put('http://host/one')
  const another = now => createStore({ dir, application: { appName: 'another', appRoot: '/another' }, now }).prepare()
  another(() => Date.now())
  assert.equal(fs.existsSync(path.join(gone.dir, 'egress')), true)
  another(() => Date.now() + 120_000)
  assert.equal(fs.existsSync(path.join(gone.dir, 'egress')), false)
})

test('evidence is tried at once, whatever failed before', async t => {
  let isUp = false
  const receiver = await receive(t, { answer: () => isUp ? 200 : 503 })
  const address = `http://127.0.0.1:${receiver.port}`
  const { queue, put } = newQueue(t)
  const sender = new Sender({ queue, isUrgent: true, settings: { url: address, headers: {} }, addressOf: url => url, onOutcome: () => {}, delayMs: () => 2 ** 30 })
  t.after(() => sender.stop())
  put(`${address}/first`, 10, true)
  sender.wake({ isNew: true })
  await receiver.until(() => receiver.requests === 1)
  isUp = true
  while (receiver.taken.length === 0) {
    await new Promise(resolve => setImmediate(resolve))
    sender.wake({ isNew: true })
  }
})

test('it is tried again later each time, at the latest when the server says', () => {
  assert.deepEqual([1, 2, 3, 10].map(failures => retryDelayMs(failures, null, () => 1)), [1000, 2000, 4000, 60_000])
  assert.equal(retryDelayMs(1, null, () => 0), 500)
  assert.equal(retryDelayMs(1, 5000, () => 0), 5000)
  assert.equal(askedDelayMs('3'), 3000)
  assert.equal(askedDelayMs(new Date(10_000).toUTCString(), 4000), 6000)
  assert.equal(askedDelayMs('soon'), null)
})
