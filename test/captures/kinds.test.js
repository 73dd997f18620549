'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { KINDS, assertKind, checkRequest } = require('../../lib/shared/captures/kinds')
const { RECORDERS } = require('../../lib/observer/captures')

const INVALID = 'ERR_LOOPSCOPE_INVALID_OPTION'

test('without options it looks back half a minute, with seconds it looks ahead only', () => {
  assert.deepEqual(checkRequest('cpu'), { kind: 'cpu', format: 'cpuprofile', seconds: 0, lastSeconds: 30, sources: undefined, route: undefined })
  assert.deepEqual(checkRequest('cpu', { seconds: 10 }), { kind: 'cpu', format: 'cpuprofile', seconds: 10, lastSeconds: 0, sources: undefined, route: undefined })
  assert.deepEqual(checkRequest('cpu', { seconds: 10, last: 5, format: 'pprof' }), { kind: 'cpu', format: 'pprof', seconds: 10, lastSeconds: 5, sources: undefined, route: undefined })
})

for (const name of ['seconds', 'last']) {
  const max = name === 'seconds' ? 300 : 600
  test(`${name} is a number above 0 and at most ${max}`, () => {
    for (const good of [0.1, 1, max]) checkRequest('cpu', { [name]: good })
    for (const bad of [0, -1, NaN, '5', max + 1, Infinity, null, true, [5]]) {
      assert.throws(() => checkRequest('cpu', { [name]: bad }),
        error => error.code === INVALID && error.message.startsWith(`capture options.${name} must be a number above 0 and at most ${max}, got `))
    }
  })
}

test('a route is a text', () => {
  assert.equal(checkRequest('cpu', { route: 'POST /login' }).route, 'POST /login')
  for (const route of ['', 5, null, true, ['GET /'], 'x'.repeat(1001)]) {
    assert.throws(() => checkRequest('cpu', { route }), { code: INVALID, message: /^capture options\.route must be a route, as in 'POST \/login', got / })
  }
})

test('an unknown kind, format or option is named with those that are known', () => {
  for (const kind of ['heap', '', 'toString', undefined, null, 5, {}]) {
    assert.throws(() => checkRequest(kind), { code: 'ERR_LOOPSCOPE_UNKNOWN_KIND', message: /valid kinds: cpu, heap-snapshot, heap-profile, heap-histogram$/ })
  }
  for (const format of ['svg', '', 'toString', null, 5]) {
    assert.throws(() => checkRequest('cpu', { format }), { code: 'ERR_LOOPSCOPE_UNKNOWN_FORMAT', message: /valid formats: cpuprofile, pprof, flamegraph, text, trace$/ })
  }
  assert.throws(() => checkRequest('cpu', { duration: 5 }),
    { code: 'ERR_LOOPSCOPE_UNKNOWN_OPTION', message: 'capture options.duration is not an option; valid options: seconds, last, sources, route, threads, format, signal' })
})

test('options that are no object, and a signal that is none, are refused', () => {
  for (const options of [null, 5, 'x', []]) assert.throws(() => checkRequest('cpu', options), { code: INVALID })
  for (const signal of [null, {}, 'SIGTERM', new AbortController()]) {
    assert.throws(() => checkRequest('cpu', { signal }), { code: INVALID, message: /^capture options\.signal must be / })
  }
  checkRequest('cpu', { signal: new AbortController().signal })
})

test('a heap snapshot has options of its own, and the others have none of them', () => {
  assert.deepEqual(checkRequest('heap-snapshot'), { kind: 'heap-snapshot', format: 'heapsnapshot', redact: undefined, hasPseudonyms: false, force: false })
  assert.deepEqual(checkRequest('heap-snapshot', { redact: 'strict', pseudonyms: true, force: true }), { kind: 'heap-snapshot', format: 'heapsnapshot', redact: 'strict', hasPseudonyms: true, force: true })
  for (const options of [{ redact: 'some' }, { redact: true }, { force: 1 }, { pseudonyms: 'yes' }]) assert.throws(() => checkRequest('heap-snapshot', options), { code: INVALID })
  assert.throws(() => checkRequest('cpu', { force: true }), { code: 'ERR_LOOPSCOPE_UNKNOWN_OPTION' })
  assert.throws(() => checkRequest('heap-snapshot', { seconds: 5 }), { code: 'ERR_LOOPSCOPE_UNKNOWN_OPTION' })
})

test('a signal captures the last half minute and the next ten seconds', () => {
  assert.deepEqual(KINDS.cpu.onSignal, { last: 30, seconds: 10 })
})

test('every kind has a recorder, and formats to choose from', () => {
  for (const [kind, { formats, onSignal }] of Object.entries(KINDS)) {
    checkRequest(kind, onSignal)
    assert.equal(assertKind(kind), kind)
    assert.ok(formats.length > 0 && typeof RECORDERS[kind] === 'function')
  }
})
