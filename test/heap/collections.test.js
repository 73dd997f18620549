'use strict'

const assert = require('node:assert/strict')
const test = require('node:test')
const { setImmediate: turn } = require('node:timers/promises')
const vm = require('node:vm')
const v8 = require('node:v8')
const { monotonicMicros } = require('../../lib/base/monotonic')
const { Collections } = require('../../lib/probe/heap/collections')

test('collections are counted by type, noted with their time, and reported as they come', async t => {
  v8.setFlagsFromString('--expose-gc')
  const gc = vm.runInNewContext('gc')
  const collections = new Collections()
  const heard = []
  collections.listeners.add((type, seconds) => heard.push({ type, seconds }))
  collections.start()
  t.after(() => collections.stop())
  const fromMicros = monotonicMicros()
  gc()
  const toMicros = monotonicMicros()
  while (!heard.some(({ type }) => type === 'major')) await turn()
  const { reading } = collections.read().find(({ type }) => type === 'major')
  assert.ok(reading.count >= 1 && reading.sum > 0)
  const noted = collections.take().find(({ type, fromMicros: from }) => type === 'major' && from >= fromMicros - 1000)
  assert.ok(noted.toMicros > noted.fromMicros && noted.toMicros <= toMicros + 1000)
  assert.deepEqual(collections.take(), [])
  collections.stop()
  heard.length = 0
  gc()
  for (let time = 0; time < 20; time++) await turn()
  assert.deepEqual(heard, [])
})
