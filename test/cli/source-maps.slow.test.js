'use strict'

// Files of profiles are shown as the code was written, where its maps are on this machine. They are recorded by Node itself, of what real
// compilers and bundlers made (test/fixtures/source-maps/build.js).

const test = require('node:test')
const assert = require('node:assert/strict')
const { execFileSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { makeScratch } = require('../store/scratch')
const { cli } = require('./cli')

const ROOT = path.join(__dirname, '..', 'fixtures', 'source-maps')
const CPU = ['--cpu-prof', '--cpu-prof-interval', '1000', '--cpu-prof-name', 'run.cpuprofile']
const HEAP = ['--heap-prof', '--heap-prof-interval', '4096', '--heap-prof-name', 'run.heapprofile']
const PROBLEM = /^a source map cannot be used, so positions are those of the generated code: .*\n$/

/** The profile of a run of a script, as a file. */
function record (t, script, flags) {
  const folder = makeScratch(t)
  execFileSync(process.execPath, [...flags, script], { cwd: folder, env: { ...process.env, STALL_MS: '300' } })
  return path.join(folder, fs.readdirSync(folder)[0])
}

/** A copy of the minified bundle, with this for a map. */
function copyWithMap (t, map) {
  const folder = makeScratch(t)
  const dist = path.join(ROOT, 'dist', 'esbuild-min')
  fs.copyFileSync(path.join(dist, 'main.js'), path.join(folder, 'main.js'))
  if (map !== null) fs.writeFileSync(path.join(folder, 'main.js.map'), map)
  return path.join(folder, 'main.js')
}

async function shown (args) {
  const { code, stdout, stderr } = await cli([...args, '--root', ROOT])
  assert.equal(code, 0, stderr)
  return { stdout, stderr }
}

test('a CPU profile in a file has original positions, or generated ones', async t => {
  const file = record(t, path.join(ROOT, 'dist', 'esbuild-min', 'main.js'), CPU)
  const { stdout, stderr } = await shown(['report', file])
  assert.match(stdout, /mixChecksum src\/main\.ts:22/)
  assert.equal(stderr, '')
  assert.match((await shown(['report', file, '--sources', 'generated'])).stdout, /dist\/esbuild-min\/main\.js:1:\d{3}/)
  assert.match((await shown(['flame', file])).stdout, /src\/main\.ts/)
})

test('a heap profile in a file has original positions, or generated ones', async t => {
  const file = record(t, path.join(ROOT, 'dist', 'tsc', 'main.js'), HEAP)
  assert.match((await shown(['report', file])).stdout, /src\/(main|rows)\.ts:\d+/)
  const generated = await shown(['report', file, '--sources', 'generated'])
  assert.match(generated.stdout, /dist\/tsc\/(main|rows)\.js:\d+/)
  assert.doesNotMatch(generated.stdout, /\.ts:/)
  assert.match((await shown(['flame', file])).stdout, /src\/(main|rows)\.ts/)
})

test('two builds of one source are compared by what was written', async t => {
  for (const flags of [CPU, HEAP]) {
    const files = ['tsc', 'esbuild-min'].map(build => record(t, path.join(ROOT, 'dist', build, 'main.js'), flags))
    const placesOf = async (...args) => JSON.parse((await shown(['diff', ...files, '--json', ...args])).stdout).rows.map(({ place }) => place).join('\n')
    assert.match(await placesOf(), /^src\/\w+\.ts:\d+$/m)
    const generated = await placesOf('--sources', 'generated')
    assert.match(generated, /^dist\//m)
    assert.doesNotMatch(generated, /\.ts:/)
  }
})

for (const [what, map] of [['no map', null], ['a map that is broken', '{']]) {
  test(`${what} is one warning, and the code is shown as it runs`, async t => {
    const file = record(t, copyWithMap(t, map), CPU)
    for (const command of ['report', 'diff']) {
      const { stdout, stderr } = await shown([command, file, ...command === 'diff' ? [file] : []])
      assert.match(stderr, PROBLEM)
      if (command === 'report') assert.match(stdout, /main\.js:1:\d{3}/)
    }
  })
}

test('a script that is gone is shown by its name', async t => {
  const script = copyWithMap(t, null)
  const file = record(t, script, CPU)
  fs.rmSync(script)
  assert.match((await shown(['report', file])).stdout, /main\.js:1:\d{3}/)
})

test('sources that are none are refused', async t => {
  const { code, stderr } = await cli(['report', path.join(makeScratch(t), 'x.cpuprofile'), '--sources', 'typescript'])
  assert.deepEqual([code, stderr], [2, 'loopscope: --sources typescript is not valid.\nValues: original, generated.\n'])
})
