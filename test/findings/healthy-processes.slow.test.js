'use strict'

// What is said of real processes without a fault: none is invented.

const test = require('node:test')
const assert = require('node:assert/strict')
const { ask, meant, show } = require('./ask')
const { HEALTHY } = require('./cases')

/** That libuv's pool is at work is a note with Node 20, which does not name its threads. */
const isHealthy = ({ id, severity }) => ['nothing-wrong', 'too-little-seen'].includes(id) || (id === 'busy-threads' && severity === 'info')

for (const row of HEALTHY) {
  test(`nothing is found wrong with ${row.name}`, t => ask(t, row, answer => {
    assert.deepEqual(meant(answer).filter(finding => !isHealthy(finding)), [], show(answer))
  }))
}
