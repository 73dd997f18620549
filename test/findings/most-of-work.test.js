'use strict'

// What has most of the work is named where nothing is wrong with a process, or nothing but the machine.

const test = require('node:test')
const assert = require('node:assert/strict')
const { findFindings } = require('../../lib/observer/findings/find-findings')
const { readings, spot, stall } = require('./readings')

const ask = changes => findFindings(readings(changes), { appName: 'shop' })

test('that nothing is wrong is said with where most of the work is', () => {
  const { findings: [first] } = ask({ activity: { busyMs: 5000, hotSpots: [spot({ ms: 2500, share: 0.5, samples: 250 })] } })
  assert.equal(first.id, 'nothing-wrong')
  assert.match(first.what, /POST \/login spends 50 % of the loop's busy time in login \(auth\.js:23\)\.$/)
  assert.equal(first.instead, '')
})

test('where nothing is wrong, what has most of the work is named, with what to do', () => {
  const some = spot({ ms: 9000, share: 0.7, culprit: { call: 'Intl.NumberFormat' } })
  const { findings: [only] } = ask({ activity: { busyMs: 12_800, hotSpots: [some] } })
  assert.equal(only.id, 'nothing-wrong')
  assert.match(only.what, /POST \/login spends 70 % of the loop's busy time in Intl\.NumberFormat, called in login \(auth\.js:23\)\.$/)
  assert.match(only.instead, /^nothing has to change; to use less CPU: make one Intl formatter/)
  const { findings: [less] } = ask({ activity: { busyMs: 12_800, hotSpots: [{ ...some, share: 0.3, ms: 3900 }] } })
  assert.deepEqual([less.id, less.instead], ['nothing-wrong', ''])
})

test('where the loop waits for a CPU and no code is blamed, what has most of its work is named', () => {
  const stalls = Array.from({ length: 9 }, () => stall({ cause: 'starved', culprit: null, evidence: { cpuMs: 30, runQueueMs: 270 } }))
  const system = { ms: 1000, cpuMs: 400, runQueueMs: 400, throttledMs: null }
  const { findings: [first, ...rest] } = ask({ activity: { busyMs: 41_000, hotSpots: [spot({ ms: 36_000, share: 0.88, culprit: { call: 'Intl.NumberFormat' } })] }, stalls, system })
  assert.deepEqual([first.id, rest], ['starved', []])
  assert.match(first.what, /waited for a CPU \d+ % of it\. POST \/login spends 88 % of the loop's busy time in Intl\.NumberFormat, called in login/)
  assert.match(first.instead, /; or use less CPU: make one Intl formatter/)
})
