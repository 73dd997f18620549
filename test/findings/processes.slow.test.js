'use strict'

// What is said of real processes with one fault each: the first finding is the right one.

const test = require('node:test')
const assert = require('node:assert/strict')
const { ask, meant, show } = require('./ask')
const { SICK } = require('./cases')
const { lineOf } = require('./sick')

for (const row of SICK) {
  test(`a process with ${row.name} is found to have ${row.id}`, t => ask(t, row, answer => {
    const [first] = meant(answer, row.id).filter(({ id }) => id !== row.beside)
    assert.ok(first, show(answer))
    assert.equal(first.id, row.id, show(answer))
    assert.match(`${first.title} ${first.what}`, row.text)
    const line = lineOf(row)
    if (line !== undefined && first.id.startsWith('hot-') && first.id !== 'hot-logging') {
      assert.deepEqual([first.where?.file.split('/').at(-1), first.where?.line], [`${row.app ?? row.name}.js`, line], show(answer))
    }
  }))
}
