'use strict'

// docs/frameworks.md says what works where, and which test holds it.

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { ROOT, readProject } = require('./project')

const TESTS = fs.readdirSync(path.join(ROOT, 'test/frameworks')).filter(file => file.endsWith('.test.js'))
const ROWS = readProject('docs/frameworks.md').split('\n').filter(line => line.startsWith('| ')).slice(1).map(line => line.split('|').slice(1, -1).map(cell => cell.trim()))

test('each row of docs/frameworks.md has every column and names a test that exists', () => {
  assert.ok(ROWS.length > 0)
  for (const row of ROWS) {
    assert.deepEqual([row.length, row.filter(cell => cell === '')], [5, []], row[0])
    const [, name] = /^`([^`]+)`$/.exec(row[4]) ?? []
    assert.ok(TESTS.includes(name), `${row[0]}: ${row[4]} is no test of test/frameworks`)
  }
})

test('each test of test/frameworks has a row in docs/frameworks.md', () => {
  assert.deepEqual(TESTS.filter(name => !ROWS.some(row => row[4] === `\`${name}\``)), [])
})
