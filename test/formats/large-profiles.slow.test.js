'use strict'

// What is read of a profile takes time in proportion to its size, however wide or deep it is. Where it grows with the square, each of these
// takes many minutes; the limit is far above what the slowest machine needs.

const test = require('node:test')
const assert = require('node:assert/strict')
const { execFile } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { promisify } = require('node:util')
const { isHeapProfile } = require('../../lib/formats/profile/heap-tree')
const { HEAP_FORMATS } = require('../../lib/formats/formats')
const { heapPlacesOf, mapHeapProfile } = require('../../lib/source-maps/map-profile')
const { BIN, cli } = require('../cli/cli')
const { makeScratch } = require('../store/scratch')
const { SHAPES, largeCpuProfile, largeHeapProfile } = require('./large-profiles')

const LIMIT_MS = 120_000
const run = promisify(execFile)

for (const shape of SHAPES) {
  test(`all that is made of a large profile: ${shape}`, async () => {
    await run(process.execPath, [path.join(__dirname, 'encode-large.js'), '8000', shape], { timeout: LIMIT_MS })
  })
}

test('no function has more arguments than its stack holds: half a million functions below one', () => {
  const profile = largeHeapProfile('wide', 500_000)
  assert.equal(isHeapProfile(profile), true)
  assert.equal(heapPlacesOf(profile).length, 500_000)
  assert.equal(mapHeapProfile(profile, () => null).head.children.length, 500_000)
})

test('a heap profile is written as it is, however deep', () => {
  const profile = largeHeapProfile('deep', 20)
  assert.deepEqual(JSON.parse(HEAP_FORMATS.heapprofile.encode({ profile, before: null, mode: 'live', fromMs: 0, toMs: 1 }).toString()), profile)
})

test('the command line reads them', { timeout: LIMIT_MS }, async t => {
  const folder = makeScratch(t)
  const write = (name, content) => {
    const file = path.join(folder, name)
    fs.writeFileSync(file, content)
    return file
  }
  const wide = write('wide.cpuprofile', JSON.stringify(largeCpuProfile('wide', 300_000)))
  const { stdout } = await run(process.execPath, [BIN, 'report', wide], { timeout: LIMIT_MS })
  assert.match(stdout, /300000 samples/)
  const deep = largeHeapProfile('deep', 40_000)
  const file = write('deep.heapprofile', HEAP_FORMATS.heapprofile.encode({ profile: deep, before: null, mode: 'live', fromMs: 0, toMs: 1 }))
  const report = await cli(['report', file])
  assert.match(report.stdout, /4\.0 MB, 40000 samples/)
  const difference = await cli(['diff', file, file, '--json'])
  assert.equal(JSON.parse(difference.stdout).afterBytes, 4e6)
})
