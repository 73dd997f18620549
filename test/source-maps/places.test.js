'use strict'

// Real profiles of what real compilers and bundlers made (test/fixtures/source-maps/build.js), told as it was written.

const test = require('node:test')
const assert = require('node:assert/strict')
const { execFileSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { SourceMaps } = require('../../lib/source-maps/source-maps')
const { buildCallTree } = require('../../lib/formats/profile/call-tree')
const { makeScratch } = require('../store/scratch')

const ROOT = path.join(__dirname, '..', 'fixtures', 'source-maps')
const LONG_MS = 60_000

/** Records a run of a fixture in a process of its own. */
function record (t, file) {
  const folder = makeScratch(t)
  execFileSync(process.execPath, ['--cpu-prof', '--cpu-prof-interval', '1000', '--cpu-prof-dir', folder, path.join(ROOT, 'dist', file)], {
    env: { ...process.env, STALL_MS: '300' }
  })
  const [name] = fs.readdirSync(folder)
  return JSON.parse(fs.readFileSync(path.join(folder, name), 'utf8'))
}

function framesOf (profile) {
  /** @type {Map<string, { place: string, lines: number[] }>} */
  const frames = new Map()
  const visit = tree => {
    const { frame: { name, file, line }, lines } = tree
    frames.set(name, { place: `${file}:${line}`, lines: [...frames.get(name)?.lines ?? [], ...lines.keys()] })
    for (const child of tree.children) visit(child)
  }
  visit(buildCallTree(profile, { appRoot: ROOT }))
  return frames
}

for (const file of [
  'tsc/main.js', 'tsc-inline/main.js', 'esbuild/main.js', 'esbuild-min/main.js', 'esbuild-inline/main.js', 'esbuild-beside/main.js',
  'webpack/main.js', 'webpack/main.min.js', 'indexed/main.js'
]) {
  test(`a profile of ${file} has original files, lines and names`, async t => {
    const problems = []
    const maps = new SourceMaps({ isOn: true, appRoot: ROOT, onProblem: problem => problems.push(problem) })
    const frames = framesOf(await maps.profile(record(t, file), { maxMs: LONG_MS }))

    assert.equal(frames.get('mixChecksum')?.place, 'src/main.ts:22')
    assert.equal(frames.get('renderReport')?.place, 'src/main.ts:30')
    assert.equal(frames.get('summarize')?.place, 'src/main.ts:16')
    const { lines } = frames.get('mixChecksum')
    // A minified bundle is one line: its ticks say nothing, and nothing is said.
    if (/min|inline\/|beside/.test(file) && !file.startsWith('tsc')) assert.deepEqual(lines, [])
    else assert.ok(lines.includes(25), `${lines} has the line of the loop`)
    assert.deepEqual(problems, [])
  })
}

test('a bundle without a map keeps generated positions, and is reported once', async t => {
  const problems = []
  const maps = new SourceMaps({ isOn: true, appRoot: ROOT, onProblem: problem => problems.push(problem) })
  const profile = record(t, 'no-map/main.js')
  assert.equal(await maps.profile(profile, { maxMs: LONG_MS }), profile)
  assert.equal(await maps.profile(profile, { maxMs: LONG_MS }), profile)
  assert.equal(problems.length, 1)
  assert.match(problems[0], /no-map\/main\.js is bundled and has no map/)
})

test('with the option off nothing is read', async t => {
  const maps = new SourceMaps({ isOn: false, appRoot: ROOT, onProblem: () => {}, ask: () => assert.fail('asked') })
  const profile = record(t, 'tsc/main.js')
  assert.equal(await maps.profile(profile, { maxMs: LONG_MS }), profile)
})
