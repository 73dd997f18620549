'use strict'

// What is said of real processes with one fault each, other than code that takes the time and requests that wait: the first finding is the right one.

const test = require('node:test')
const { findsFault } = require('./ask')
const { SICK, WAITING_FAULTS } = require('./cases')

for (const row of SICK.filter(({ id }) => !id.startsWith('hot-') && !WAITING_FAULTS.has(id))) {
  test(`a process with ${row.name} is found to have ${row.id}`, t => findsFault(t, row))
}
