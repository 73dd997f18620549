'use strict'

const assert = require('node:assert/strict')
const { test } = require('node:test')
const { FORMATS } = require('../../lib/formats/formats')
const { readRecorded } = require('../fixtures/profiles/profiles')
const { deepFreeze } = require('../recorder/crafted')

test('each format has its own ending and says its content type', () => {
  const formats = Object.values(FORMATS)
  assert.deepEqual(formats.map(({ extension }) => extension), ['cpuprofile', 'pb.gz', 'html', 'txt', 'json'])
  for (const { contentType } of formats) assert.match(contentType, /^[a-z]+\/[a-z-]+(; charset=utf-8)?$/)
})

for (const [format, { encode }] of Object.entries(FORMATS)) {
  test(`${format} encodes the profiles of all versions of Node and changes none of them`, () => {
    const recorded = readRecorded()
    assert.equal(recorded.length, 4)
    for (const { profile } of recorded) {
      const encoded = encode(deepFreeze(profile), deepFreeze({ appRoot: '/app', title: 'shop', startedAt: 1, notes: ['short'] }))
      assert.ok(Buffer.isBuffer(encoded))
      assert.ok(encoded.length > 500)
      assert.deepEqual(encode(profile, { appRoot: '/app', title: 'shop', startedAt: 1, notes: ['short'] }), encoded)
    }
  })
}
