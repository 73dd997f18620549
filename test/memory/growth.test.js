'use strict'

const assert = require('node:assert/strict')
const test = require('node:test')
const { OwnerGrowth } = require('../../lib/observer/memory/growth')

const MB = 1e6

/** The same in every run, as noisy as a busy process. */
const noise = minute => Math.sin(minute * 7.7) * 3 + Math.sin(minute * 13.1) * 2

/** @param {(minute: number) => number} megabytesAt  @param {{ owner?: string, minutes?: number, every?: number }} [options]  every: minutes between collections */
function growth (megabytesAt, { owner = 'heap', minutes = 40, every = 0.5 } = {}) {
  const growth = new OwnerGrowth(owner)
  for (let minute = 0; minute < minutes; minute += every) growth.add(minute * 60_000, megabytesAt(minute) * MB)
  return growth.read()
}

test('growth has a rate, also when it begins after hours', () => {
  const { owner, name, bytesPerMinute, grownBytes } = growth(minute => 100 + 2 * minute + noise(minute))
  assert.deepEqual([owner, name], ['heap', null])
  assert.ok(Math.abs(bytesPerMinute / MB - 2) < 0.3 && grownBytes > 70 * MB, `${bytesPerMinute} ${grownBytes}`)
  const late = growth(minute => 100 + Math.max(0, minute - 600) * 2 + noise(minute), { minutes: 660 })
  assert.ok(late !== null && late.bytesPerMinute > MB, JSON.stringify(late))
  assert.ok(growth(minute => 100 + 0.1 * minute, { minutes: 600, every: 20 }).bytesPerMinute > 0.09 * MB, 'a collection every twenty minutes')
})

for (const [what, megabytesAt] of Object.entries({
  noise: minute => 100 + noise(minute),
  'a cache that fills and stays': minute => Math.min(300, 100 + minute * 20),
  'a warm-up that slows down': minute => 160 - 60 * Math.exp(-minute / 8),
  'compiled code': minute => 100 + Math.min(3, minute * 0.1),
  'a burst': minute => minute > 10 && minute < 15 ? 400 : 100 + noise(minute),
  'a step': minute => minute < 10 ? 100 : 200,
  'less than 5 MB': minute => 100 + minute * 0.1
})) {
  test(`${what} does not grow`, () => assert.equal(growth(megabytesAt), null))
}

test('what ended two hours ago is over', () => {
  assert.equal(growth(minute => Math.min(200, 100 + minute), { minutes: 240 }), null)
})

test('of readings at any time the lowest of a few counts', () => {
  const sawtooth = new OwnerGrowth('worker', 'resize')
  for (let reading = 0; reading < 120; reading++) sawtooth.add(reading * 30_000, (100 + reading % 3 * 40) * MB)
  assert.equal(sawtooth.read(), null)
  const leaking = new OwnerGrowth('worker', 'resize')
  for (let reading = 0; reading < 120; reading++) leaking.add(reading * 30_000, (100 + reading + reading % 3 * 40) * MB)
  assert.ok(Math.abs(leaking.read().bytesPerMinute / MB - 2) < 0.2)
})

/** What has grown fast at the end, one collection every ten seconds. @param {(second: number) => number} megabytesAt  @param {string} [owner] */
function fast (megabytesAt, { owner = 'heap', seconds = 60, every = 10 } = {}) {
  const growth = new OwnerGrowth(owner)
  for (let second = 0; second <= seconds; second += every) growth.add(second * 1000, megabytesAt(second) * MB)
  assert.equal(growth.read(), null, 'there is no trend yet')
  return growth.readFast(seconds * 1000)
}

test('what grows fast is noticed before there is a trend', () => {
  const { owner, bytesPerMinute, grownBytes, minutes } = fast(second => 20 + second)
  assert.deepEqual([owner, Math.round(bytesPerMinute / MB), Math.round(grownBytes / MB), minutes], ['heap', 60, 60, 1])
  assert.ok(fast(second => 20 + second, { seconds: 40, every: 20 }) !== null, 'three collections')
  assert.ok(fast(second => 20 + second + noise(second) / 5) !== null, 'with noise')
  assert.ok(fast(second => 20 + Math.max(0, second - 180), { seconds: 240 }) !== null, 'it begins later')
  const worker = new OwnerGrowth('worker', 'resize')
  for (const second of [10, 40, 70]) worker.add(second * 1000, 2 * second * MB)
  assert.equal(worker.readFast(70_000)?.name, 'resize')
})

for (const [what, growing] of Object.entries({
  noise: fast(second => 20 + noise(second)),
  'a warm-up that is over': fast(second => 20 + Math.min(30, second)),
  'a warm-up that slows down': fast(second => 60 - 40 * Math.exp(-second / 12)),
  'a cache that is full after a minute': fast(second => Math.min(80, 20 + second), { seconds: 90 }),
  'a few megabytes': fast(second => 20 + second / 7),
  'a small part of what was there': fast(second => 1000 + second),
  'two collections': fast(second => 20 + second, { seconds: 50, every: 50 }),
  'half a minute': fast(second => 20 + second, { seconds: 30 }),
  'growth that ended six minutes ago': (() => {
    const growth = new OwnerGrowth('heap')
    for (let second = 0; second <= 60; second += 10) growth.add(second * 1000, second * MB)
    return growth.readFast(7 * 60_000)
  })()
})) {
  test(`${what} does not grow fast`, () => assert.equal(growing, null))
}
