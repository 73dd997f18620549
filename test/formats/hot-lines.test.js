'use strict'

const assert = require('node:assert/strict')
const test = require('node:test')
const { hotLines } = require('../../lib/formats/text')
const { craft } = require('../fixtures/profiles/profiles')

const CONTEXT = { appRoot: '/app' }

test('how busy it was, then the hottest functions; Node\'s own with the application\'s function that they were for', () => {
  const profile = craft([[['serve', 'login', 'node:wrap', 'native:hash'], 600_000], [['serve', 'parse'], 300_000], [['serve', 'tiny'], 30_000], [['(garbage collector)'], 70_000], [['(idle)'], 1_000_000]])
  const lines = hotLines(profile, CONTEXT)
  assert.equal(lines[0], 'busy 50.0% of 2.0 s')
  assert.match(lines[1], /^60\.0% wrap node:internal\/thing:\d+, called by login app\.js:\d+$/)
  assert.match(lines[2], /^30\.0% parse app\.js:\d+$/)
  assert.match(lines[3], /^7\.0% \(garbage collector\)/)
  assert.equal(lines.length, 4)
})

test('an idle thread and an empty profile say so', () => {
  assert.deepEqual(hotLines(craft([[['(idle)'], 1_000_000]]), CONTEXT), ['busy 0.0% of 1.0 s'])
  assert.deepEqual(hotLines(craft([]), CONTEXT), ['no samples'])
})

test('at most five are named', () => {
  const profile = craft(Array.from({ length: 8 }, (_, index) => [[`work${index}`], 100_000]))
  assert.equal(hotLines(profile, CONTEXT).length, 6)
})
