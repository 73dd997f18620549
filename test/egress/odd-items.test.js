'use strict'

// Files in the queue that no destination of ours wrote, or not this one: nothing of them is sent, and they keep nothing else.

const test = require('node:test')
const assert = require('node:assert/strict')
const { execFileSync } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { createDestination } = require('../../lib/observer/egress/destination')
const { Queue } = require('../../lib/observer/egress/queue')
const { BACKENDS } = require('../../lib/observer/egress/backends')
const { withoutSecrets } = require('../../lib/observer/egress/url-secrets')
const { addressOf } = require('../../lib/shared/egress/addresses')
const { destinationsOf, checkEgress } = require('../../lib/probe/egress-settings')
const { receive } = require('./receiver')

const HEADERS = { authorization: 'Bearer hunter2' }
const PROFILE = {
  nodes: [
    { id: 1, callFrame: { functionName: '(root)', scriptId: '0', url: '', lineNumber: -1, columnNumber: -1 }, children: [2] },
    { id: 2, callFrame: { functionName: 'f', scriptId: '1', url: 'file:///app.js', lineNumber: 1, columnNumber: 1 }, children: [] }
  ],
  startTime: 0,
  endTime: 1000,
  samples: [2, 2],
  timeDeltas: [500, 500]
}
const ITEM = { id: 'one', kind: 'cpu', fromMs: 1e12, toMs: 1e12 + 1000, fileName: 'cpu-1.pb.gz', labels: { service: 'the api', pid: '12', host: 'a/b', version: '1.0.0' }, profile: PROFILE }

/** A queue with what a process left that is gone, and the destination of the next one. */
async function leave (t, option, files) {
  const dir = path.join(fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), 'loopscope-egress-')), 'queue')
  t.after(() => fs.rmSync(path.dirname(dir), { recursive: true, force: true }))
  const gone = path.join(dir, 'gone')
  fs.mkdirSync(gone, { recursive: true, mode: 0o700 })
  Object.entries(files).forEach(([name, make], at) => make(path.join(gone, `${String(1e12 + at).padStart(15, '0')}-r-0000000${at.toString(16)}.item`), name))
  const [settings] = destinationsOf(option)
  const outcomes = []
  const destination = createDestination({
    settings, dir, owner: 'me', minFreeBytes: 0, maxAgeMs: Infinity, count: outcome => outcomes.push(outcome), onState: () => {}
  })
  t.after(() => destination.stop())
  return { destination, outcomes, dir, isGone: owner => owner === 'gone' }
}

const entry = (facts, body = 'x') => file => fs.writeFileSync(file, `${typeof facts === 'string' ? facts : JSON.stringify({ atMs: 1e12, method: 'PUT', headers: {}, ...facts })}\n${body}`)

test('the headers and the signature of a destination go to no other address than its own', async t => {
  const [own, other] = [await receive(t), await receive(t)]
  const address = `http://127.0.0.1:${own.port}`
  const elsewhere = `127.0.0.1:${other.port}`
  const { destination, outcomes, dir, isGone } = await leave(t, { to: 'put', url: `${address}/bucket/{service}/{file}?sig=hunter3`, headers: HEADERS }, Object.fromEntries([
    `http://${elsewhere}/bucket/a/b`,
    `http://127.0.0.1:${own.port}@${elsewhere}/bucket/a/b`,
    `${address}.evil.example/bucket/a/b`,
    `http://${elsewhere}/bucket/a/b?x=${address}`,
    `${address}/other/a/b`,
    `${address}/bucket/../b`,
    `${address}/bucket/%2e%2e/b`,
    `${address}/bucket/a/b?sig=mine`,
    `${address}/bucket/a/b#c`,
    `${address}/bucket/a/b`
  ].map(url => [url, entry({ url, headers: { 'content-type': 'text/plain', authorization: 'mine', host: 'evil' } })])))
  destination.sweep(isGone)
  await own.until(() => own.taken.length === 1)
  await destination.drained()
  assert.deepEqual([own.requests, other.requests], [1, 0])
  const [{ url, headers }] = own.taken
  assert.deepEqual([url, headers.authorization, headers.host, headers['content-type']], ['/bucket/a/b?sig=hunter3', HEADERS.authorization, `127.0.0.1:${own.port}`, 'text/plain'])
  assert.deepEqual(outcomes.toSorted(), ['sent', ...Array(9).fill('unreadable')])
  assert.equal(fs.readdirSync(path.join(dir, 'me')).filter(name => name.endsWith('.aside')).length, 9)
})

test('what is no entry, or no file, keeps nothing else from being sent, and is counted', async t => {
  const own = await receive(t)
  const address = `http://127.0.0.1:${own.port}`
  const good = { url: `${address}/good` }
  const { destination, outcomes, isGone, dir } = await leave(t, { to: 'put', url: `${address}/{file}` }, {
    empty: entry('', ''),
    number: entry('5'),
    null: entry('null'),
    list: entry('[]'),
    nested: entry('['.repeat(5000)),
    'no url': entry({ url: 5 }),
    'no headers': entry({ ...good, headers: null }),
    'a header that is none': entry({ ...good, headers: { 'content-type': 'a\nb' } }),
    'another method': entry({ ...good, method: 'DELETE' }),
    'no end of the line': file => fs.writeFileSync(file, Buffer.alloc(200_000, 'x')),
    directory: file => fs.mkdirSync(file),
    'symbolic link': file => fs.symlinkSync('/etc/hostname', file),
    fifo: file => execFileSync('mkfifo', [file]),
    good: entry(good)
  })
  destination.sweep(isGone)
  await own.until(() => own.taken.length === 1)
  await destination.drained()
  destination.sweep(isGone)
  await destination.drained()
  assert.equal(own.requests, 1)
  assert.deepEqual(outcomes.toSorted(), ['sent', ...Array(13).fill('unreadable')])
  assert.equal(fs.readdirSync(path.join(dir, 'me')).length, 10, 'of what was set aside the last ten are kept')
})

test('one file that is larger than the queue pushes out nothing else', t => {
  const dir = path.join(fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), 'loopscope-egress-')), 'queue')
  t.after(() => fs.rmSync(path.dirname(dir), { recursive: true, force: true }))
  let dropped = 0
  const queue = new Queue({ dir, owner: 'me', maxBytes: 10_000, minFreeBytes: 0, maxAgeMs: Infinity, onDropped: count => { dropped += count } })
  const put = () => queue.put({ atMs: Date.now(), method: 'PUT', url: 'http://host/', headers: {} }, Buffer.alloc(100), { isUrgent: false })
  put()
  const file = path.join(dir, 'me', '000900000000000-r-00000000.item')
  fs.writeFileSync(file, '')
  fs.truncateSync(file, 1e9)
  put()
  assert.deepEqual([dropped, fs.existsSync(file), fs.readdirSync(path.join(dir, 'me')).length], [1, false, 2])
})

test('an item that is dated in the future is as old as it is ahead', t => {
  const dir = path.join(fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), 'loopscope-egress-')), 'queue')
  t.after(() => fs.rmSync(path.dirname(dir), { recursive: true, force: true }))
  const queue = new Queue({ dir, owner: 'me', maxBytes: 10_000, minFreeBytes: 0, maxAgeMs: 60_000, onDropped: () => {} })
  const put = aheadMs => queue.put({ atMs: Date.now() + aheadMs, method: 'PUT', url: `http://host/${aheadMs}`, headers: {} }, Buffer.alloc(100), { isUrgent: false })
  for (const aheadMs of [1e12, 3_600_000, 30_000, 0]) put(aheadMs)
  assert.equal(fs.readdirSync(path.join(dir, 'me')).length, 2)
})

test('what each backend makes is addressed as its destination addresses it', () => {
  const option = [
    { to: 'put', url: 'https://u:p@bucket.example/x/{service}/{host}/{pid}/{kind}/{time}-{file}?sig=1' },
    { to: 'put', url: 'https://bucket.example/presigned%20name?sig=1' },
    { to: 'put', url: 'https://bucket.example' },
    { to: 'pyroscope', url: 'http://pyroscope:4040/base/' },
    { to: 'pyroscope', url: 'http://pyroscope:4040/ingest?x=1' },
    { to: 'otlp', url: 'http://127.0.0.1:4318' },
    { to: 'otlp', url: 'HTTP://Collector/v1development/profiles/' }
  ]
  for (const settings of destinationsOf(option)) {
    const asIs = { ...settings, url: withoutSecrets(settings.url) }
    const { url } = BACKENDS[settings.to](ITEM, asIs)
    assert.equal(addressOf(asIs, url), url)
    const other = new URL(url)
    other.host = 'evil.example'
    assert.equal(addressOf(asIs, other.href), null)
    assert.equal(addressOf(asIs, `${url}${url.includes('?') ? '&' : '?'}tenant=x`), null)
  }
})

test('the host of a destination is what the option says', () => {
  assert.throws(() => checkEgress('egress', { to: 'put', url: 'https://{host}/x' }), /a URL with places in its path only, got one with a place in its host/)
  assert.throws(() => checkEgress('egress', { to: 'put', url: 'https://{service}.bucket.example/{file}' }), /in its host/)
  checkEgress('egress', { to: 'put', url: 'https://bucket.example/{service}/{file}' })
})
