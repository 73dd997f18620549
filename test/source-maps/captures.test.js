'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { execFile } = require('node:child_process')
const path = require('node:path')
const { promisify } = require('node:util')
const { makeScratch } = require('../store/scratch')

const DIST = path.join(__dirname, '..', 'fixtures', 'source-maps', 'dist')
const MAX_MS = 60_000

async function capture (t, file) {
  const { stdout } = await promisify(execFile)(process.execPath, [path.join(__dirname, 'captured.js'), path.join(DIST, file), makeScratch(t)],
    { timeout: MAX_MS, maxBuffer: 2 ** 26 })
  return JSON.parse(stdout).contents
}

test('what people read names the code as it was written, what tools read the code that runs, each unless it is asked for otherwise', async t => {
  const contents = await capture(t, 'esbuild-min/main.js')
  assert.match(contents['text by default'], /renderReport .*src\/main\.ts:30/)
  assert.match(contents['text generated'], /summarize .*esbuild-min\/main\.js:1:\d{3}/)
  assert.doesNotMatch(contents['text generated'], /main\.ts/)
  assert.deepEqual(filesOf(contents['cpuprofile by default']), ['dist/esbuild-min/main.js'])
  assert.ok(filesOf(contents['cpuprofile original']).includes('src/main.ts'))
  assert.match(contents['heap original'], /src\/(main|rows)\.ts:\d+/)
  assert.doesNotMatch(contents['heap original'], /esbuild-min\/main\.js/)
  assert.match(contents['heap generated'], /esbuild-min\/main\.js:1:\d{3}/)
})

/** Of the fixtures. */
function filesOf (cpuprofile) {
  const files = JSON.parse(cpuprofile).nodes.map(({ callFrame: { url } }) => url.split('/fixtures/source-maps/')[1]).filter(file => file !== undefined)
  assert.ok(files.length > 0)
  return [...new Set(files)]
}
