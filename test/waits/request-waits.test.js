'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { RequestWaits } = require('../../lib/probe/waits/request-waits')

test('calls of one name that overlap are one wait; each is counted', () => {
  const waits = new RequestWaits({})
  const wait = waits.begin(3, 10)
  waits.begin(3, 20)
  wait.end(30, false)
  wait.end(50, true)
  waits.begin(3, 70)
  wait.end(75, false)
  waits.begin(4, 60).end(61, false)
  assert.deepEqual(waits.read(100), [[3, 3, 1, 45, 10, 50, 70, 75], [4, 1, 0, 1, 60, 61]])
})

test('what has not ended when the request is answered lasts until then', () => {
  const waits = new RequestWaits({})
  const wait = waits.begin(3, 10)
  assert.deepEqual(waits.read(100), [[3, 1, 0, 90, 10, 100]])
  waits.clear()
  wait.end(150, false)
  assert.deepEqual(waits.read(200), [])
})

test('of many calls count and length stay exact, and of many names the first are kept', () => {
  const waits = new RequestWaits({})
  for (let call = 0; call < 1000; call++) waits.begin(0, call * 10).end(call * 10 + 4, false)
  for (let name = 1; name < 50; name++) waits.begin(name, 0)?.end(1, false)
  const read = waits.read(1e6)
  assert.deepEqual(read[0].slice(0, 4), [0, 1000, 0, 4000])
  assert.equal(read[0].length, 4 + 100)
  assert.equal(read.length, 20)
})
