'use strict'

// What is said of real processes with one fault each, code that takes the time: the first finding is the right one.

const test = require('node:test')
const { findsFault } = require('./ask')
const { SICK } = require('./cases')

for (const row of SICK.filter(({ id }) => id.startsWith('hot-'))) {
  test(`a process with ${row.name} is found to have ${row.id}`, t => findsFault(t, row))
}
