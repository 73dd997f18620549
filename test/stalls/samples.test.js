'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { codeSampleCount, longestBusyMs, longestGapMs } = require('../../lib/observer/stalls/samples')
const { profileOf } = require('../recorder/crafted')

test('the longest time without a sample may lie before the first, between two and after the last', () => {
  const profile = profileOf([[['work'], 10e3], [['work'], 700e3], [['(idle)'], 10e3]])
  assert.equal(longestGapMs(profile), 700)
  assert.equal(longestGapMs({ ...profile, startTime: profile.startTime - 800e3, timeDeltas: [810e3, ...profile.timeDeltas.slice(1)] }), 810)
  assert.equal(longestGapMs({ ...profile, endTime: profile.endTime + 900e3 }), 900)
  assert.equal(longestGapMs({ ...profile, samples: [], timeDeltas: [], endTime: profile.startTime + 500e3 }), 500)
})

test('samples of the collector, the engine and of nothing are none of code', () => {
  const profile = profileOf([[['work'], 10e3], [['(garbage collector)'], 10e3], [['work', 'native:run'], 10e3], [['(idle)'], 10e3], [['(program)'], 10e3]])
  assert.equal(codeSampleCount(profile), 2)
})

test('a busy time ends with a sample of nothing, and where samples are missing', () => {
  const work = Array.from({ length: 12 }, () => [['work'], 10e3])
  assert.equal(longestBusyMs(profileOf(work)), 120)
  assert.equal(longestBusyMs(profileOf([...work, [['(idle)'], 10e3], ...work.slice(2)])), 120)
  assert.equal(longestBusyMs(profileOf([[['(program)'], 10e3], [['work'], 300e3]])), 0)
  assert.equal(longestBusyMs(null), 0)
})
