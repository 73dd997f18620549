'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { findRetired } = require('./check')

test('a retired word is reported with file, line and what to use', () => {
  assert.deepEqual(findRetired('lib/shared/a.js', "'use strict'\n// The coalescer of calls\n"), ['lib/shared/a.js:2: "coalescer" is retired, use: single-flight'])
})

test('a retired word in the name of a file is reported', () => {
  assert.deepEqual(findRetired('lib/shared/coalescer.js', ''), ['lib/shared/coalescer.js: the name has "coalescer", use: single-flight'])
})

test('a folder that still uses a word is exempt, others are not', () => {
  assert.deepEqual(findRetired('docs/pm2.md', 'Loop utilisation'), [])
  assert.equal(findRetired('docs/stalls.md', 'Loop utilisation').length, 1)
})
