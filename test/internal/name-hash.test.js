'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { nameHash } = require('../../lib/base/name-hash')

test('it is the 64-bit FNV-1a of the UTF-8 text', () => {
  assert.deepEqual(['', 'a', 'foobar'].map(nameHash), ['cbf29ce484222325', 'af63dc4c8601ec8c', '85944171f73967e8'])
})

test('it has 16 digits, and similar names have different ones', () => {
  const hashes = Array.from({ length: 10_000 }, (_, index) => nameHash(`é-${index}`))
  assert.ok(hashes.every(hash => /^[0-9a-f]{16}$/.test(hash)))
  assert.equal(new Set(hashes.map(hash => hash.slice(-12))).size, hashes.length)
})
