'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { createCaptures } = require('../../lib/observer/captures')
const { FORMATS } = require('../../lib/formats/formats')
const { monotonicMicros } = require('../../lib/base/monotonic')
const { checkRequest } = require('../../lib/shared/captures/kinds')
const { craft, withRoutes } = require('../fixtures/profiles/profiles')
const { profileOf } = require('../recorder/crafted')

const RETENTION = { maxCount: 10, maxBytes: 1e9, maxAgeMs: 1e9, minFreeBytes: 0 }

/** Captures of a recorder that holds ten seconds, with what was asked of it and what was written. */
function createSubject (parts) {
  const subject = { wanted: [], folders: [], written: [] }
  const views = {
    async view (wanted) {
      subject.wanted.push(wanted)
      const fromMicros = Math.max(wanted.fromMicros, wanted.toMicros - 10e6)
      const profile = parts?.profile ?? profileOf([[['work'], wanted.toMicros - fromMicros]], fromMicros)
      return { profile, fromMicros, toMicros: wanted.toMicros, isShortened: fromMicros > wanted.fromMicros }
    }
  }
  const storeAt = location => {
    subject.folders.push(location.dir)
    return {
      write (artifact) {
        subject.written.push(artifact)
        return { name: 'n', path: '/captures/n', bytes: artifact.bytes.length }
      }
    }
  }
  subject.captures = createCaptures({ sources: { views, sourceMaps: { profile: async profile => profile } }, storeAt, ...parts })
  return subject
}

function orderOf (options) {
  return { request: checkRequest('cpu', options), trigger: 'api', appName: 'shop', appRoot: '/app', dir: '/captures', retention: RETENTION }
}

for (const format of Object.keys(FORMATS)) {
  test(`a capture as ${format} is recorded, encoded and stored`, async () => {
    const { captures, written, folders } = createSubject()
    const now = Date.now()
    const facts = await captures.run(orderOf({ last: 5, format }), { signal: new AbortController().signal })
    const [{ bytes, extension, kind, appName }] = written
    assert.deepEqual([kind, appName, extension, folders], ['cpu', 'shop', FORMATS[format].extension, ['/captures']])
    const { from, to, ...rest } = facts
    assert.deepEqual(rest, { kind: 'cpu', format, trigger: 'api', name: 'n', path: '/captures/n', bytes: bytes.length, contentType: FORMATS[format].contentType, shortened: null, marks: [] })
    assert.ok(bytes.length > 0 && Math.abs(to - from - 5000) <= Date.now() - now + 1)
  })
}

test('a capture of one route holds what ran for it, and reports its share', async () => {
  const profile = withRoutes(craft([[['serve', 'login'], 600_000], [['serve', 'parse'], 400_000]]), { login: 'POST /login', parse: 'GET /parse' })
  const { captures, written } = createSubject({ profile })
  const run = route => captures.run(orderOf({ last: 5, format: 'text', route }), { signal: new AbortController().signal })
  await run('POST /login')
  const text = String(written[0].bytes)
  assert.match(text, /^Note: only POST \/login: 0\.60 s of 1\.00 s of busy time/m)
  assert.doesNotMatch(text, /parse /)
  await assert.rejects(run('GET /login'), { code: 'ERR_LOOPSCOPE_UNKNOWN_ROUTE', message: /its routes: POST \/login, GET \/parse$/ })
  assert.equal(written.length, 1)
})

test('past and future are requested as one view, in whole microseconds', async () => {
  const { captures, wanted } = createSubject()
  const before = monotonicMicros()
  await captures.run(orderOf({ last: 0.3, seconds: 1.1 }), { signal: new AbortController().signal })
  const after = monotonicMicros()
  const [{ fromMicros, toMicros }] = wanted
  assert.equal(toMicros - fromMicros, 1_400_000)
  assert.ok(Number.isInteger(fromMicros) && fromMicros >= before - 300_001 && fromMicros <= after - 299_999)
})

test('a recorder that held less makes a shorter capture, marked as shortened', async () => {
  const { captures, written } = createSubject()
  const facts = await captures.run(orderOf({ format: 'text' }), { signal: new AbortController().signal })
  assert.deepEqual(facts.shortened, { wantedSeconds: 30, gotSeconds: 10 })
  assert.match(String(written[0].bytes), /10 s of the 30 s asked for/)
})

test('a cancelled capture is distinguished from a failed one, and nothing is written', async () => {
  const controller = new AbortController()
  const views = { async view () { throw controller.signal.aborted ? controller.signal.reason : new Error('no inspector') } }
  const { captures, written } = createSubject({ sources: { views } })
  await assert.rejects(captures.run(orderOf(), { signal: controller.signal }), { message: 'no inspector' })
  controller.abort('the client left')
  await assert.rejects(captures.run(orderOf(), { signal: controller.signal }), { code: 'ERR_LOOPSCOPE_CAPTURE_CANCELLED', message: 'the cpu capture was cancelled: the client left' })
  assert.deepEqual(written, [])
})
