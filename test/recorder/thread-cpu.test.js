'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { createNotedCpu } = require('../../lib/probe/process/noted-cpu')
const { ThreadCpu } = require('../../lib/observer/recorder/thread-cpu')
const { SharedState } = require('../../lib/link/shared-state')
const { LOOP_IO, createFrameOf } = require('../../lib/formats/profile/frame')
const { assertValid, createRandom, profileOf } = require('./crafted')

const SECOND_MICROS = 1e6
const SAMPLE_MICROS = 10_000

/** A window of so many samples, at random in code for that share of them, from a second to the next. */
function windowOf ({ seconds, busy, from = 10, random = createRandom(1) }) {
  const samples = Array.from({ length: seconds * 100 }, () => [[random() < busy ? 'work' : '(idle)'], SAMPLE_MICROS])
  return profileOf(samples, from * SECOND_MICROS)
}

/** CPU time that grows by a share of the time, read twice a second. */
function cpuOf ({ share, from = 9, to = 70 }) {
  const cpu = new ThreadCpu({ readCpuMs: () => null })
  for (let at = from; at <= to; at += 0.5) cpu.add({ micros: at * SECOND_MICROS, cpuMicros: (at - from) * share * SECOND_MICROS })
  return cpu
}

function shareOf ({ nodes, samples, timeDeltas, startTime, endTime }, name) {
  const ids = new Set(nodes.filter(({ callFrame }) => callFrame.functionName === name).map(({ id }) => id))
  return samples.reduce((micros, id, index) => ids.has(id) ? micros + timeDeltas[index] : micros, 0) / (endTime - startTime)
}

const near = (actual, wanted, within) => assert.ok(Math.abs(actual - wanted) <= within, `${actual} instead of ${wanted}`)

test('CPU time that no sample saw is a row of its own, taken from idle time', () => {
  const window = cpuOf({ share: 0.45 }).show(windowOf({ seconds: 5, busy: 0.28 }))
  assertValid(window)
  near(1 - shareOf(window, '(idle)'), 0.45, 0.02)
  near(shareOf(window, LOOP_IO), 0.45 - 0.28, 0.05)
  const { callFrame } = window.nodes.find(({ callFrame }) => callFrame.functionName === LOOP_IO)
  assert.equal(createFrameOf({})(callFrame).origin, 'meta')
})

for (const [what, share, busy] of [['the samples saw all', 0.3, 0.3], ['the samples saw more: it waited for a processor', 0.3, 0.6], ['nothing happens', 0.003, 0.002]]) {
  test(`there is no such row in any window where ${what}`, () => {
    const cpu = cpuOf({ share })
    const random = createRandom(7)
    const rows = Array.from({ length: 11 }, (_, index) => cpu.show(windowOf({ seconds: 5, busy, from: 10 + index * 5, random })))
    near(rows.reduce((sum, window) => sum + shareOf(window, LOOP_IO), 0) / rows.length, 0, 0.005)
  })
}

test('too little for one window is shown with those that follow: nothing is lost over a minute', () => {
  const cpu = cpuOf({ share: 0.23 })
  const random = createRandom(3)
  const windows = Array.from({ length: 11 }, (_, index) => cpu.show(windowOf({ seconds: 5, busy: 0.2, from: 10 + index * 5, random })))
  near(windows.reduce((sum, window) => sum + 1 - shareOf(window, '(idle)'), 0) / 11, 0.23, 0.02)
})

test('it is in the seconds that had it, and a stall that waited for a processor hides nothing in the others', () => {
  const cpu = new ThreadCpu({ readCpuMs: () => null })
  const had = [[9, 0], [10, 0], [12, 0], [14, 1], [15, 1.1], [16, 1.2]] // nothing for two seconds, half of two, then a stall at a tenth
  for (const [at, seconds] of had) cpu.add({ micros: at * SECOND_MICROS, cpuMicros: seconds * SECOND_MICROS })
  const idle = seconds => Array.from({ length: seconds * 100 }, () => [['(idle)'], SAMPLE_MICROS])
  const stalled = Array.from({ length: 100 }, () => [['work'], SAMPLE_MICROS])
  const { nodes, samples } = cpu.show(profileOf([...idle(4), ...stalled], 10 * SECOND_MICROS))
  const { id } = nodes.find(({ callFrame }) => callFrame.functionName === LOOP_IO)
  const count = (from, to) => samples.slice(from, to).filter(sample => sample === id).length
  assert.deepEqual([count(0, 200), count(400, 500)], [0, 0])
  near(count(200, 400), 100, 15)
})

test('what is not covered by readings stays as it is', () => {
  const window = windowOf({ seconds: 5, busy: 0.2 })
  for (const cpu of [new ThreadCpu({ readCpuMs: () => null }), cpuOf({ share: 0.5, from: 20 }), cpuOf({ share: 0.5, from: 1, to: 10 })]) {
    cpu.note()
    assert.equal(cpu.show(window), window)
  }
})

test('a reading that took long, or goes back, is none', () => {
  const times = [10e6, 10e6 + 1000, 12e6, 12e6 + 50_000, 14e6, 14e6 + 1000, 16e6, 16e6 + 1000]
  const read = [0, 9000, 500, 2000]
  const cpu = new ThreadCpu({ readCpuMs: () => read.shift(), now: () => times.shift() })
  for (let turn = 0; turn < 4; turn++) cpu.note()
  const window = cpu.show(profileOf(Array.from({ length: 500 }, () => [['(idle)'], SAMPLE_MICROS]), 10.5e6))
  near(shareOf(window, LOOP_IO), 5 / 6 * 2 / 6 / (5 / 5) + 0.05, 0.15)
})

test('where the system does not show it, the thread\'s own notes are used', () => {
  const state = new SharedState()
  assert.equal(state.notedCpu, null)
  const cpu = new ThreadCpu({ readCpuMs: () => null, noted: () => new SharedState(state.buffer).notedCpu })
  for (let at = 9; at <= 20; at += 0.5) {
    state.noteCpu(at * SECOND_MICROS, at * 0.4 * SECOND_MICROS)
    cpu.note()
  }
  near(shareOf(cpu.show(windowOf({ seconds: 5, busy: 0 })), LOOP_IO), 0.4, 0.02)
})

test('a thread notes its CPU time now and then, unless the system shows it or Node.js does not have it', () => {
  const noted = options => {
    const state = new SharedState()
    const { take } = createNotedCpu({ state, ...options })
    return [take(), take(), state.notedCpu?.cpuMicros]
  }
  let user = 0
  const cpuUsage = () => ({ user: (user += 700), system: 50 })
  assert.deepEqual(noted({ isReadable: false, cpuUsage }), [0.75, 0.7, 750])
  assert.deepEqual(noted({ isReadable: true, cpuUsage }), [null, null, undefined])
  assert.deepEqual(noted({ isReadable: false, cpuUsage: null }), [null, null, undefined])
})
