'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { encodeText } = require('../../lib/formats/text')
const { reportSections } = require('../../lib/observer/report-sections')
const { profileOf } = require('../recorder/crafted')

const samples = (stack, count) => Array.from({ length: count }, () => [stack, 1e4])

test('a text report begins with what stands out in the profile, and what to change', () => {
  const { sections: [findings, syncCalls] } = reportSections(profileOf(samples(['login', 'node:pbkdf2Sync'], 900)), '/app')
  assert.match(findings.title, /^\[Findings\]/)
  assert.match(findings.lines.join('\n'), /^ {2}1\. The process spends 100 % of the loop's busy time in crypto\.pbkdf2Sync, called in login .*\n {5}fix: crypto\.pbkdf2 with a callback/)
  assert.match(syncCalls.title, /Synchronous calls/)
})

test('where nothing stands out it says nothing', () => {
  assert.deepEqual(reportSections(profileOf([...samples(['(idle)'], 900), ...samples(['handle'], 30)]), '/app').sections, [])
})

test('one function has one line in all of a report: that of the stall, where there was one', () => {
  const profile = profileOf(samples(['login', 'node:pbkdf2Sync'], 900))
  const { url, lineNumber } = profile.nodes.find(({ callFrame }) => callFrame.functionName === 'login').callFrame
  const stalled = { function: 'login', file: url.replace('file:///app/', '').replace('/app/', ''), functionLine: lineNumber + 1, line: 26, column: 7 }
  const report = encodeText(profile, { appRoot: '/app', ...reportSections(profile, '/app', [stalled]) }).toString()
  const places = [...report.matchAll(/login \(?(\S+?:\d+)/g)].map(([, place]) => place)
  assert.ok(places.length >= 3, report)
  assert.deepEqual([...new Set(places)], [`${stalled.file}:26`])
})

test('without a stall it is the line that the finding has found', () => {
  const profile = profileOf(samples(['login', 'node:pbkdf2Sync'], 900))
  const { sections, lines } = reportSections(profile, '/app')
  const report = encodeText(profile, { appRoot: '/app', sections, lines }).toString()
  const [{ file, line }] = lines
  for (const [, place] of report.matchAll(/login \(?(\S+?:\d+)/g)) assert.equal(place, `${file}:${line}`)
})
