'use strict'

const { test } = require('node:test')
const assert = require('node:assert/strict')
const { setImmediate: nextTurn } = require('node:timers/promises')
const vm = require('node:vm')
const { canDeadlock, preventDeadlock } = require('../../lib/probe/recorder/recorder')

test('Node 20 and Node 22 before 22.23.3 are those whose cold start can deadlock', () => {
  const affected = ['20.19.0', '20.20.2', '22.0.0', '22.12.0', '22.23.1', '22.23.2']
  const sound = ['22.23.3', '22.24.0', '23.0.0', '24.0.0', '26.10.0']
  assert.deepEqual(affected.filter(canDeadlock), affected)
  assert.deepEqual(sound.filter(canDeadlock), [])
})

test('where a cold start can deadlock, what is garbage is collected before it, and applications get no gc() by it', async () => {
  const garbage = new WeakRef({})
  await nextTurn() // what a WeakRef was made for lives until its turn is over
  preventDeadlock('20.19.0')
  assert.equal(garbage.deref(), undefined)
  assert.equal(vm.runInNewContext('typeof gc'), typeof globalThis.gc)
})
