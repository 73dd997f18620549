'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { codeSampleCount, judgeCause, longestBusyMs, longestGapMs, shareSampled } = require('../../lib/observer/stalls/judge-cause')
const { profileOf } = require('../recorder/crafted')

const NOTHING = { cpuMs: null, runQueueMs: null, throttledMs: null, observerLateMs: null, codeMs: null, gcMs: null }
const QUIET = { cpuMs: 0, runQueueMs: 2, throttledMs: null, observerLateMs: 0, codeMs: 0, gcMs: 0 }

const COLLECTED = { durationMs: 2000, thresholdMs: 100 }
const COLLECTING = { cpuMs: 1500, runQueueMs: 100, throttledMs: 0, observerLateMs: 0, codeMs: 30, gcMs: 1960 }

/** Each a stall of one second at a threshold of 100 ms. */
const CASES = [
  ['a loop in JavaScript', 'code', { ...QUIET, cpuMs: 990, codeMs: 980 }],
  ['a wait in execSync: samples, but no CPU time', 'code', { ...QUIET, cpuMs: 4, codeMs: 990 }],
  ['code that makes garbage', 'code', { ...QUIET, cpuMs: 990, codeMs: 600, gcMs: 380 }],
  ['a storm of garbage collections', 'gc', { ...QUIET, cpuMs: 990, codeMs: 300, gcMs: 650 }],
  ['a collection and no code at all', 'gc', { ...QUIET, cpuMs: 800, gcMs: 700 }],
  ['a collection whose helpers were not run', 'starved', { ...QUIET, cpuMs: 300, codeMs: 30, gcMs: 800, runQueueMs: 100 }],
  ['a short collection, asleep and in line by turns', 'starved', { ...QUIET, cpuMs: 90, codeMs: 30, gcMs: 800, runQueueMs: 450 }],
  ['SIGSTOP', 'suspended', { ...QUIET, observerLateMs: 950, unsampledMs: 940 }],
  ['SIGSTOP in the middle of some code', 'suspended', { ...QUIET, cpuMs: 120, codeMs: 140, observerLateMs: 850, unsampledMs: 860 }],
  ['SIGSTOP in the middle of some code, all of it in the sample after', 'suspended', { ...QUIET, cpuMs: 120, codeMs: 990, observerLateMs: 850, unsampledMs: 860 }],
  ['code on a loaded machine that kept the observer waiting', 'code', { ...QUIET, cpuMs: 420, codeMs: 990, runQueueMs: 560, observerLateMs: 700, unsampledMs: 510 }],
  ['code that waited while the observer was late, sampled all along', 'code', { ...QUIET, cpuMs: 4, codeMs: 990, observerLateMs: 700, unsampledMs: 40 }],
  ['a stop in the middle of code that stood in line for longer', 'starved', { ...QUIET, cpuMs: 110, codeMs: 990, runQueueMs: 640, observerLateMs: 240, unsampledMs: 250 }],
  ['an observer that was late too while code ran', 'code', { ...QUIET, cpuMs: 900, codeMs: 880, observerLateMs: 800 }],
  ['a CPU quota', 'starved', { ...QUIET, cpuMs: 300, codeMs: 990, throttledMs: 690, observerLateMs: 600 }],
  ['a quota that held it back for less than half', 'code', { ...QUIET, cpuMs: 700, codeMs: 990, throttledMs: 290 }],
  ['waiting for a processor, next to no code', 'starved', { ...QUIET, cpuMs: 60, codeMs: 60, runQueueMs: 700, observerLateMs: 500 }],
  ['a loaded machine that doubled the time of heavy code', 'code', { ...QUIET, cpuMs: 420, codeMs: 980, runQueueMs: 580 }],
  ['a loaded machine that dwarfed some code', 'starved', { ...QUIET, cpuMs: 180, codeMs: 990, runQueueMs: 800 }],
  ['CPU time without samples', 'code', { ...NOTHING, cpuMs: 800, runQueueMs: 10 }],
  ['a blocking call without samples', 'unknown', { ...NOTHING, cpuMs: 5, runQueueMs: 0, observerLateMs: 0 }],
  ['no samples in a view, and no CPU time', 'unknown', QUIET],
  ['no evidence at all', 'unknown', NOTHING]
]

test('a collection at the end of a stall does not explain the time before the first sample', () => {
  const stall = { durationMs: 300, thresholdMs: 100, missedMs: 250 }
  assert.equal(judgeCause(stall, { ...QUIET, cpuMs: 280, codeMs: 0, gcMs: 20 }), 'code')
  assert.equal(judgeCause(stall, { ...QUIET, codeMs: 0, gcMs: 20 }), 'unknown')
  assert.equal(judgeCause(stall, { ...QUIET, codeMs: 30, gcMs: 0 }), 'code')
  assert.equal(judgeCause({ ...stall, missedMs: 50 }, { ...QUIET, cpuMs: 240, codeMs: 20, gcMs: 200 }), 'gc')
})

for (const [what, cause, { unsampledMs = null, ...evidence }] of CASES) {
  test(`${what} is judged ${cause}`, () => {
    assert.equal(judgeCause({ durationMs: 1000, thresholdMs: 100, unsampledMs }, evidence), cause)
  })
}

test('a short stall in which nothing is known to have run is not laid at the door of the code that was seen before or after', () => {
  const stall = { durationMs: 104, thresholdMs: 100, unsampledMs: 80 }
  const stopped = { ...QUIET, cpuMs: 10, runQueueMs: 10, codeMs: 16, observerLateMs: 48 }
  assert.equal(judgeCause(stall, stopped), 'unknown')
  assert.equal(judgeCause(stall, { ...stopped, observerLateMs: 0 }), 'code', 'a blocking call: the observer was on time')
  assert.equal(judgeCause({ ...stall, unsampledMs: 20 }, stopped), 'code', 'and so was the sampler')
  assert.equal(judgeCause(stall, { ...stopped, codeMs: 90 }), 'code', 'seen for most of the stall')
  assert.equal(judgeCause(stall, { ...stopped, observerLateMs: 60 }), 'suspended')
  assert.equal(judgeCause({ ...stall, durationMs: 300, unsampledMs: 160 }, { ...stopped, cpuMs: 130, observerLateMs: 120 }), 'code', 'it ran long enough to stall the loop')
})

test('a collection that slept was starved of its helper threads, one that worked was not', () => {
  assert.equal(judgeCause(COLLECTED, COLLECTING), 'gc')
  assert.equal(judgeCause(COLLECTED, { ...COLLECTING, cpuMs: 25 }), 'starved')
})

test('a short collection in a stall that otherwise shows the engine at work did not cause it', () => {
  const engine = { ...NOTHING, runQueueMs: 1, observerLateMs: 0, cpuMs: 980, codeMs: 0, gcMs: 90 }
  assert.equal(judgeCause({ durationMs: 1000, thresholdMs: 100, sampledShare: 0.97 }, engine), 'code')
  assert.equal(judgeCause({ durationMs: 1000, thresholdMs: 100, sampledShare: 0.97 }, { ...engine, cpuMs: 20 }), 'unknown')
  assert.equal(judgeCause({ durationMs: 1000, thresholdMs: 100, sampledShare: 0.15 }, engine), 'gc', 'where samples are missing, the few that there are count')
})

const OWN = { isOwnCpu: true, sampledShare: 0.3 }
const DENSE = { sampledShare: 0.97 }

/** Stalls of a second where the system does not report how long a thread waits for a CPU. */
const UNMEASURED = [
  ['its own CPU time proves that code ran', 'code', { ...NOTHING, cpuMs: 700, codeMs: 900, gcMs: 0 }, OWN],
  ['its own CPU time without samples', 'code', { ...NOTHING, cpuMs: 700 }, { isOwnCpu: true }],
  ['the CPU time of the whole process proves nothing of the thread', 'unknown', { ...NOTHING, cpuMs: 700, codeMs: 900, gcMs: 0 }, { sampledShare: 0.3 }],
  ['a sampler on time proves that code ran', 'code', { ...NOTHING, cpuMs: 980, observerLateMs: 0, codeMs: 970, gcMs: 0 }, DENSE],
  ['a wait in execSync, sampler and observer on time', 'code', { ...NOTHING, cpuMs: 4, observerLateMs: 10, codeMs: 970, gcMs: 0 }, { ...DENSE, isOwnCpu: true }],
  ['code that had little CPU time', 'unknown', { ...NOTHING, cpuMs: 120, observerLateMs: 700, codeMs: 980, gcMs: 0 }, OWN],
  ['the same, with an observer that was on time', 'unknown', { ...NOTHING, cpuMs: 120, observerLateMs: 0, codeMs: 980, gcMs: 0 }, OWN],
  ['a collection that used its CPU time', 'gc', { ...NOTHING, cpuMs: 900, observerLateMs: 0, codeMs: 40, gcMs: 900 }, OWN],
  ['a collection by samples alone', 'gc', { ...NOTHING, cpuMs: 990, observerLateMs: 0, codeMs: 40, gcMs: 900 }, DENSE],
  ['a collection that had little CPU time', 'unknown', { ...NOTHING, cpuMs: 90, observerLateMs: 0, codeMs: 40, gcMs: 900 }, { ...DENSE, isOwnCpu: true }],
  ['a collection whose sampler was late', 'unknown', { ...NOTHING, cpuMs: 990, observerLateMs: 300, codeMs: 40, gcMs: 900 }, { sampledShare: 0.3 }],
  ['SIGSTOP, which looks like too little CPU time', 'unknown', { ...NOTHING, cpuMs: 3, observerLateMs: 950, codeMs: 990, gcMs: 0 }, { unsampledMs: 950, isOwnCpu: true }],
  ['a CPU quota, which is reported without the rest', 'starved', { ...NOTHING, cpuMs: 300, throttledMs: 690, codeMs: 990, gcMs: 0 }, { sampledShare: 0.3 }],
  ['a worker thread, of which the samples are all there is', 'code', { ...NOTHING, codeMs: 980, gcMs: 10 }, DENSE]
]

for (const [what, cause, evidence, stall] of UNMEASURED) {
  test(`without the scheduler's figures: ${what}: ${cause}`, () => {
    assert.equal(judgeCause({ durationMs: 1000, thresholdMs: 100, ...stall }, evidence), cause)
  })
}

test('a profile with samples at half the rate has half of them', () => {
  assert.equal(shareSampled(profileOf(Array.from({ length: 50 }, () => [['work'], 20e3])), 1000, 100), 0.5)
})

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
