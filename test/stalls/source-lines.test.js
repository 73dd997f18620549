'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { createSourceLines } = require('../../lib/observer/stalls/culprit/source-lines')
const { findCulprit } = require('../../lib/observer/stalls/culprit/find-culprit')
const { profileOf } = require('../recorder/crafted')
const { makeScratch } = require('../store/scratch')

test('lines are counted once a file, and a file that cannot be read has none', t => {
  const appRoot = makeScratch(t)
  fs.writeFileSync(path.join(appRoot, 'app.js'), 'one\ntwo\nthree')
  const { count, read } = createSourceLines({ appRoot })
  assert.deepEqual([count('app.js'), count(path.join(appRoot, 'app.js')), count('node:fs'), count('')], [3, 3, null, null])
  assert.deepEqual([read('app.js', 2), read('app.js', 2, 9), read('app.js', 9), read('node:fs', 1)], [['two'], ['two', 'three'], [], []])
  fs.rmSync(path.join(appRoot, 'app.js'))
  assert.equal(count('app.js'), 3)
})

test('the files of a package above the application are found', t => {
  const folder = makeScratch(t)
  const appRoot = path.join(folder, 'services', 'shop')
  const installed = path.join(folder, 'node_modules', 'ms')
  for (const made of [appRoot, installed]) fs.mkdirSync(made, { recursive: true })
  fs.writeFileSync(path.join(installed, 'index.js'), 'one\ntwo')
  fs.writeFileSync(path.join(installed, 'package.json'), '{ "dependencies": { "long": "1" } }')
  const { count, read, dependsOn } = createSourceLines({ appRoot })
  assert.deepEqual([count('node_modules/ms/index.js'), read('node_modules/ms/index.js', 2), count('node_modules/ms/gone.js')], [2, ['two'], null])
  assert.deepEqual([dependsOn('node_modules/ms/index.js', 'long'), dependsOn('node_modules/ms/index.js', 'short')], [true, false])
})

test('a line that the culprit cannot have is another file\'s, which V8 inlined', () => {
  const profile = profileOf([[['spin'], 300e3]])
  const node = profile.nodes.find(({ callFrame }) => callFrame.functionName === 'spin')
  const begins = node.callFrame.lineNumber + 1
  node.positionTicks = [{ line: begins + 1000, ticks: 9 }, { line: begins + 2, ticks: 3 }]
  const lineOf = count => findCulprit(profile, { appRoot: '/app', source: { count, read: () => [] } }).culprit.line
  assert.equal(lineOf(() => null), begins + 1000)
  assert.equal(lineOf(() => begins + 500), begins + 2)
  node.positionTicks = [{ line: 1 - begins, ticks: 9 }]
  assert.equal(lineOf(() => begins + 500), begins)
})
