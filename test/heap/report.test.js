'use strict'

const assert = require('node:assert/strict')
const test = require('node:test')
const { headlineOf, renderReport, reportLines } = require('../../lib/heap-diff/report')
const { hostileReport, makeReport } = require('./reports')

test('the headline has before and after, the culprit, its place and its share', () => {
  const { suspects } = makeReport()
  assert.equal(headlineOf({ beforeBytes: 44.6e6, afterBytes: 170e6, suspects }), 'Heap 44.6 → 170.0 MB. `sessions` (Map in auth.js:12) explains 118.2 MB (94 %)')
  const [low] = suspects.map(suspect => ({ ...suspect, confidence: 'low' }))
  assert.equal(headlineOf({ beforeBytes: 44.6e6, afterBytes: 45e6, suspects: [low] }), 'Heap 44.6 → 45.0 MB. No object is suspicious.')
  assert.equal(headlineOf({ beforeBytes: 5e6, afterBytes: 4e6, suspects: [] }), 'Heap 5.0 → 4.0 MB. It did not grow.')
})

test('text has suspects, every column, the sum, and what was folded', () => {
  const text = reportLines(makeReport()).join('\n')
  assert.match(text, /^Heap 44\.6 → 170\.0 MB\. `sessions`/)
  assert.match(text, /1\. `sessions` \(Map in auth\.js:12\): \+118\.2 MB \(94 %\), retains 120\.0 MB now\n {3}confidence medium: two snapshots/)
  assert.match(text, /\n {3}kept by: `sessions` \(Map in auth\.js:12\) ← `module\.exports` \(auth\.js:12\)\n/)
  assert.match(text, /variable sessions Map/)
  assert.match(text, /# New +# Deleted +# Delta +Alloc\. Size +Freed Size +Size Delta +# Grown +Grown Size +Retained Delta +Class\n/)
  assert.match(text, /\n40,000 +1,000 +39,000 +90\.0 MB +2\.0 MB +\+88\.0 MB +0 +0 B +\+118\.0 MB {2}Session\n/)
  assert.match(text, /V8 internals hidden: 1/)
  assert.match(text, /heap \+125,400,000 B = new minus deleted \+88,000,000 B, growth of surviving objects \+37,400,000 B, outside objects 0 B/)
  assert.ok(!text.includes('(compiled code)'))
  assert.ok(reportLines(makeReport(), { withNoise: true }).join('\n').includes('(compiled code)'))
  const totals = reportLines({ ...makeReport(), incomparable: 'they are of two processes, 1 and 2', suspects: [] }).join('\n')
  assert.match(totals, /Not compared object by object: they are of two processes, 1 and 2\./)
})

test('names of an application are text, on a terminal and in a page', () => {
  const report = hostileReport()
  const text = reportLines(report).join('\n')
  assert.ok(!/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/.test(text)) // eslint-disable-line no-control-regex
  const page = renderReport(report).toString()
  assert.equal(page.match(/<script/g).length, 2, 'the two of the page itself')
  assert.ok(!page.includes('<img'))
  const [, json] = /<script type="application\/json" id="data">(.*?)<\/script>/s.exec(page)
  assert.equal(JSON.parse(json)[0].name, report.classes[0].name)
})
