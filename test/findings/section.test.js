'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { reportSections } = require('../../lib/observer/report-sections')
const { profileOf } = require('../recorder/crafted')

const samples = (stack, count) => Array.from({ length: count }, () => [stack, 1e4])

test('a text report begins with what stands out in the profile, and what to change', () => {
  const [findings, syncCalls] = reportSections(profileOf(samples(['login', 'node:pbkdf2Sync'], 900)), '/app')
  assert.match(findings.title, /^\[Findings\]/)
  assert.match(findings.lines.join('\n'), /^ {2}1\. The process spends 100 % of the loop's busy time in crypto\.pbkdf2Sync, called in login .*\n {5}instead: crypto\.pbkdf2 with a callback/)
  assert.match(syncCalls.title, /Synchronous calls/)
})

test('where nothing stands out it says nothing', () => {
  assert.deepEqual(reportSections(profileOf([...samples(['(idle)'], 900), ...samples(['handle'], 30)]), '/app'), [])
})
