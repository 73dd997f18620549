'use strict'

// What option egress may say. Errors name the place and what was wanted, and never show a URL or a header.

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { inspect } = require('node:util')
const { destinationsOf } = require('../../lib/probe/egress-settings')
const { resolveOptions } = require('../../lib/api/options/resolve-options')

const SECRET = 'hunter2'
const PUT = { to: 'put', url: `https://user:${SECRET}@bucket.example/{service}/{file}?sig=${SECRET}`, headers: { authorization: SECRET } }

/** What is wrong, and that it does not give anything away. */
function refused (egress, place) {
  assert.throws(() => resolveOptions({ egress }, {}), error => {
    assert.ok(error.message.startsWith(place), error.message)
    assert.ok(!inspect(error).includes(SECRET), error.message)
    return /ERR_LOOPSCOPE_(INVALID|UNKNOWN)_OPTION/.test(error.code)
  })
}

test('one destination or a list, with defaults by what it is', () => {
  const [put, pyroscope] = destinationsOf(resolveOptions({ egress: [PUT, { to: 'pyroscope', url: 'http://pyroscope:4040', everySeconds: 10 }] }, {}).egress)
  assert.deepEqual([put.everySeconds, put.stallMs, put.maxQueueBytes], [false, 1000, 64 * 1024 ** 2])
  assert.equal(pyroscope.everySeconds, 10)
  assert.equal(destinationsOf(PUT).length, 1)
  assert.equal(destinationsOf({ to: 'otlp', url: 'http://collector:4318' })[0].everySeconds, 15)
  assert.deepEqual(destinationsOf(resolveOptions({}, {}).egress), [])
})

test('what is wrong is named by its place, without its value', () => {
  refused(SECRET, 'options.egress ')
  refused([PUT, { ...PUT, to: 'ftp' }], 'options.egress[1].to ')
  refused([{ ...PUT, url: `ftp://${SECRET}` }], 'options.egress[0].url ')
  refused([{ ...PUT, url: `//${SECRET}` }], 'options.egress[0].url ')
  refused({ ...PUT, url: `https://bucket.example/{name}?${SECRET}` }, 'options.egress.url ')
  refused({ ...PUT, url: `https://bucket.example/?name={file}&${SECRET}` }, 'options.egress.url ')
  refused({ ...PUT, headers: { authorization: `${SECRET}\n` } }, 'options.egress.headers["authorization"] ')
  refused({ ...PUT, headers: { authorization: { token: SECRET } } }, 'options.egress.headers["authorization"] ')
  refused({ ...PUT, labels: { 'a-b': 'c' } }, 'options.egress.labels["a-b"] ')
  refused({ ...PUT, everySeconds: 0 }, 'options.egress.everySeconds ')
  refused({ ...PUT, every: 15 }, 'options.egress.every ')
})

test('the variable is JSON, or the path of a file with it', t => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'loopscope-egress-'))
  t.after(() => fs.rmSync(folder, { recursive: true }))
  const file = path.join(folder, 'egress.json')
  fs.writeFileSync(file, JSON.stringify([PUT]))
  assert.deepEqual(resolveOptions({}, { LOOPSCOPE_EGRESS: file }).egress, [PUT])
  assert.deepEqual(resolveOptions({}, { LOOPSCOPE_EGRESS: JSON.stringify(PUT) }).egress, PUT)
  assert.equal(resolveOptions({}, { LOOPSCOPE_EGRESS: 'off' }).egress, false)
  for (const bad of [`{"to": "put", ${SECRET}`, path.join(folder, SECRET)]) {
    assert.throws(() => resolveOptions({}, { LOOPSCOPE_EGRESS: bad }), error => /^LOOPSCOPE_EGRESS must/.test(error.message) && !error.message.includes(SECRET))
  }
})
