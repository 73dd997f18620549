'use strict'

const { test } = require('node:test')
const assert = require('node:assert/strict')
const { canDeadlock } = require('../../lib/main/recorder/cold-start')

test('only Node 22 before 22.23.3 gets the flag against the deadlock of a cold start', () => {
  const affected = ['22.0.0', '22.12.0', '22.23.1', '22.23.2']
  const sound = ['20.19.0', '20.20.2', '22.23.3', '22.24.0', '23.0.0', '24.0.0', '26.10.0']
  assert.deepEqual(affected.filter(canDeadlock), affected)
  assert.deepEqual(sound.filter(canDeadlock), [])
})
