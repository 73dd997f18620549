'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { types } = require('node:util')
const { startDetector, sitesOf } = require('./started')

const Original = Date
class Earlier extends Date {}

test('dates are dates: instanceof, constructor, subclasses made before and after', t => {
  const before = new Date(0)
  startDetector(t)
  assert.notEqual(Date, Original)
  class Later extends Date { year () { return this.getUTCFullYear() } }
  for (const date of [before, new Date(0), new Original(0), new Earlier(0), new Later(0), Reflect.construct(Date, [0])]) {
    assert.ok(date instanceof Date && date instanceof Original && types.isDate(date))
    assert.equal(date.getTime(), 0)
  }
  assert.equal(new Date(0).constructor, Date)
  assert.equal(Date.prototype.constructor, Date)
  assert.equal(Object.getPrototypeOf(new Date()), Original.prototype)
  assert.ok(new Later(0) instanceof Later)
  assert.equal(new Later(0).year(), 1970)
  assert.equal(new Later(0).constructor, Later)
  assert.deepEqual(new Date(0), before)
  assert.deepEqual(structuredClone(new Date(0)), before)
})

test('every way to call Date gives what it gave', t => {
  const calls = [
    () => typeof Date(), () => Date(0).length, () => new Date(2020, 1, 2, 3, 4, 5, 6).getTime(), () => new Date('2020-01-01').toISOString(),
    () => new Date(undefined).getTime(), () => new Date(new Date(5)).getTime(), () => Date.UTC(2020), () => Date.parse('2020'),
    () => Date.length, () => Date.name, () => Object.getOwnPropertyNames(Date), () => Object.prototype.toString.call(new Date()),
    () => Math.abs(new Date().getTime() - Original.now()) < 60_000, () => JSON.stringify({ at: new Date(0) })
  ]
  const before = calls.map(call => call())
  startDetector(t)
  assert.deepEqual(calls.map(call => call()), before)
  assert.throws(() => new Date(Symbol('x')), error => error instanceof TypeError && !error.stack.includes('counted-date'))
})

test('reading the current time is counted, making a given date is not', t => {
  const detector = startDetector(t)
  class Later extends Date {}
  for (let call = 0; call < 5; call++) new Date() // eslint-disable-line no-new
  for (let call = 0; call < 3; call++) new Later() // eslint-disable-line no-new
  for (let call = 0; call < 7; call++) new Date(call) // eslint-disable-line no-new
  for (let call = 0; call < 4; call++) Date.now()
  const { sites } = detector.read()
  assert.deepEqual(sitesOf(sites, 'new Date()', __filename).map(({ calls }) => calls).sort(), [3, 5])
  assert.deepEqual(sitesOf(sites, 'Date.now', __filename).map(({ calls }) => calls), [4])
})

test('a clock that a test put in the place of Date.now stays there', t => {
  const { now } = Date
  t.after(() => { Date.now = now })
  const detector = startDetector(t)
  Date.now = () => 42
  detector.stop()
  assert.equal(Date.now(), 42)
  assert.equal(Date, Original)
})
