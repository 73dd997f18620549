'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { Worst, MAX_AGE_MICROS } = require('../../lib/observer/slow-requests/slow-requests')

function offer (worst, route, durationMicros, toMicros = 0) {
  const isAmong = worst.isAmong(route, durationMicros, toMicros)
  if (isAmong) worst.add({ route, durationMicros, toMicros })
  return isAmong
}

const told = (worst, micros = 0) => worst.list(micros).map(({ route, durationMicros }) => `${route} ${durationMicros}`)

test('the ten worst of a route are kept, worst first; a faster one is none of them', () => {
  const worst = new Worst()
  for (const duration of [5, 3, 12, 1, 9, 2, 11, 4, 8, 7]) assert.equal(offer(worst, '/a', duration), true)
  assert.equal(offer(worst, '/a', 1), false)
  assert.equal(offer(worst, '/a', 6), true)
  assert.deepEqual(told(worst), [12, 11, 9, 8, 7, 6, 5, 4, 3, 2].map(duration => `/a ${duration}`))
})

test('a hundred in all: of more routes each has its worst, and no route takes the places of others', () => {
  const worst = new Worst()
  for (let route = 0; route < 60; route++) {
    for (let request = 0; request < 10; request++) offer(worst, `/${route}`, (route + 1) * 1000 + request)
  }
  const kept = worst.list(0)
  assert.equal(kept.length, 100)
  for (let route = 0; route < 60; route++) assert.ok(kept.some(one => one.route === `/${route}` && one.durationMicros === (route + 1) * 1000 + 9), route)
})

test('of more than a hundred routes the slowest stay', () => {
  const worst = new Worst()
  for (let route = 0; route < 150; route++) offer(worst, `/${route}`, route)
  assert.deepEqual(told(worst).slice(-1), ['/50 50'])
})

test('after a quarter of an hour a request has gone, and its place is free', () => {
  const worst = new Worst()
  for (let request = 0; request < 10; request++) offer(worst, '/a', 1000, request)
  assert.equal(offer(worst, '/a', 1, MAX_AGE_MICROS), false)
  assert.equal(offer(worst, '/a', 1, MAX_AGE_MICROS + 5), true)
  assert.equal(told(worst, MAX_AGE_MICROS + 5).length, 6)
  assert.deepEqual(told(worst, MAX_AGE_MICROS * 3), [])
})
