'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { Evidence } = require('../../lib/observer/stalls/evidence')

/** Evidence of a system that the test runs, in milliseconds. */
function createSubject () {
  const system = { cpuMs: 0, runQueueMs: 0, throttledMs: 0, observerCpuMs: 0, observerRunQueueMs: 0 }
  const state = { tickMicros: 1e9 }
  let micros = 1e9
  const take = () => {
    const taken = { ...system }
    return () => taken
  }
  const evidence = new Evidence({ scheduler: { take }, state, monotonicMicros: () => micros })
  return {
    evidence,
    system,
    get micros () { return micros },
    /** Time goes by, the observer wakes, and the loop ticks. */
    pass (ms, { isStuck = false, lateMs = 0, ...spent } = {}) {
      micros += ms * 1e3
      for (const [name, spentMs] of Object.entries(spent)) system[name] += spentMs
      evidence.note(lateMs)
      if (!isStuck) state.tickMicros = micros
    }
  }
}

test('covers what happened since a moment, not before it', () => {
  const subject = createSubject()
  for (let i = 0; i < 10; i++) subject.pass(50, { cpuMs: 50, runQueueMs: 20, throttledMs: 30, lateMs: 40 })
  const from = subject.micros
  subject.pass(100, { isStuck: true, cpuMs: 30, runQueueMs: 60, throttledMs: 5, lateMs: 45 })
  subject.pass(100, { cpuMs: 90 })
  assert.deepEqual(subject.evidence.between(from), { cpuMs: 120, runQueueMs: 60, throttledMs: 5, observerLateMs: 45 })
})

test('a stall longer than all kept readings is covered as a whole', () => {
  const subject = createSubject()
  for (let i = 0; i < 100; i++) subject.pass(50, { throttledMs: 40 })
  const from = subject.micros
  for (let i = 0; i < 500; i++) subject.pass(70, { isStuck: true, cpuMs: 10, throttledMs: 60, lateMs: 6 })
  subject.pass(20)
  assert.deepEqual(subject.evidence.between(from), { cpuMs: 5000, runQueueMs: 0, throttledMs: 30_000, observerLateMs: 3000 })
})

test('a stall that begins before anything was read is measured from the first reading', () => {
  const subject = createSubject()
  const from = subject.micros
  for (let i = 0; i < 4; i++) subject.pass(100, { isStuck: true, cpuMs: 90, lateMs: 10 })
  assert.deepEqual(subject.evidence.between(from), { cpuMs: 270, runQueueMs: 0, throttledMs: 0, observerLateMs: 40 })
})

test('lateness that the thread\'s own work or its place in line explains, and that of any timer, is none', () => {
  const subject = createSubject()
  subject.pass(50)
  const from = subject.micros
  subject.pass(400, { isStuck: true, lateMs: 300, observerCpuMs: 297 }) // it encoded a capture
  subject.pass(400, { isStuck: true, lateMs: 300, observerCpuMs: 7, observerRunQueueMs: 290 }) // others had the processor
  subject.pass(50, { isStuck: true, lateMs: 4.9 })
  subject.pass(50, { lateMs: 4.9 })
  assert.equal(subject.evidence.between(from).observerLateMs, 0)
})

test('nothing is more than the time itself, and nothing is below zero', () => {
  const subject = createSubject()
  subject.pass(50)
  const from = subject.micros
  subject.pass(100, { cpuMs: -10, runQueueMs: 900, throttledMs: 400, lateMs: 250 }) // several threads throttled, a counter that was reset
  assert.deepEqual(subject.evidence.between(from), { cpuMs: 0, runQueueMs: 100, throttledMs: 100, observerLateMs: 100 })
})

test('what happened after the stall is not part of it, however late it is asked for', () => {
  const subject = createSubject()
  subject.pass(50)
  const from = subject.micros
  subject.pass(112, { cpuMs: 108, runQueueMs: 4 })
  const to = subject.micros
  subject.pass(120, { isStuck: true, cpuMs: 10, runQueueMs: 110, throttledMs: 60, lateMs: 40 })
  assert.deepEqual(subject.evidence.between(from, to), { cpuMs: 108, runQueueMs: 4, throttledMs: 0, observerLateMs: 0 })
})

test('a late reading tells of the time in which it was due, also where another one was taken before it', () => {
  const subject = createSubject()
  subject.pass(50)
  const from = subject.micros
  subject.pass(500, { isStuck: true })
  const to = subject.micros
  subject.pass(1)
  subject.pass(1, { lateMs: 480 })
  subject.pass(50, { lateMs: 30 })
  assert.equal(subject.evidence.between(from, to).observerLateMs, 480)
})

test('where readings cover more than the stall, running and waiting for a CPU share its time', () => {
  const subject = createSubject()
  subject.pass(50)
  const from = subject.micros
  subject.pass(220, { cpuMs: 165, runQueueMs: 55 })
  assert.deepEqual(subject.evidence.between(from, from + 112e3), { cpuMs: 84, runQueueMs: 28, throttledMs: 0, observerLateMs: 0 })
})

test('a stall of which less than half was seen has no evidence', () => {
  const subject = createSubject()
  const from = subject.micros
  subject.pass(150, { isStuck: true, cpuMs: 150, lateMs: 10 })
  subject.pass(100, { isStuck: true, cpuMs: 100, lateMs: 40 })
  assert.deepEqual(subject.evidence.between(from), { cpuMs: null, runQueueMs: null, throttledMs: null, observerLateMs: null })
  subject.pass(100, { cpuMs: 90 })
  assert.deepEqual(subject.evidence.between(from), { cpuMs: 190, runQueueMs: 0, throttledMs: 0, observerLateMs: 50 })
})

test('what the system does not report stays unknown', () => {
  const subject = createSubject()
  Object.assign(subject.system, { runQueueMs: null, throttledMs: null, observerCpuMs: null, observerRunQueueMs: null })
  subject.pass(0)
  const from = subject.micros
  subject.pass(200, { lateMs: 120 })
  assert.deepEqual(subject.evidence.between(from), { cpuMs: 0, runQueueMs: null, throttledMs: null, observerLateMs: 120 })
})
