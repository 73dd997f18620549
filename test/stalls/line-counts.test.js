'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { createLineCounts } = require('../../lib/observer/stalls/line-counts')
const { findCulprit } = require('../../lib/observer/stalls/culprit')
const { profileOf } = require('../recorder/crafted')
const { makeScratch } = require('../store/scratch')

test('lines are counted once a file, and a file that cannot be read has none', t => {
  const appRoot = makeScratch(t)
  fs.writeFileSync(path.join(appRoot, 'app.js'), 'one\ntwo\nthree')
  const lineCountOf = createLineCounts({ appRoot })
  assert.deepEqual([lineCountOf('app.js'), lineCountOf(path.join(appRoot, 'app.js')), lineCountOf('node:fs'), lineCountOf('')], [3, 3, null, null])
  fs.rmSync(path.join(appRoot, 'app.js'))
  assert.equal(lineCountOf('app.js'), 3)
})

test('a line that the culprit cannot have is another file\'s, which V8 inlined', () => {
  const profile = profileOf([[['spin'], 300e3]])
  const node = profile.nodes.find(({ callFrame }) => callFrame.functionName === 'spin')
  const begins = node.callFrame.lineNumber + 1
  node.positionTicks = [{ line: begins + 1000, ticks: 9 }, { line: begins + 2, ticks: 3 }]
  const lineOf = lineCountOf => findCulprit(profile, { appRoot: '/app', lineCountOf }).culprit.line
  assert.equal(lineOf(() => null), begins + 1000)
  assert.equal(lineOf(() => begins + 500), begins + 2)
  node.positionTicks = [{ line: 1 - begins, ticks: 9 }]
  assert.equal(lineOf(() => begins + 500), begins)
})
