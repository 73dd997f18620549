'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { writtenBy } = require('../heap/snapshots')
const { cli } = require('./cli')

const written = writtenBy('leaks/run.js', folder => ['map-cache', folder])
test.after(async () => fs.rmSync(await written, { recursive: true, force: true }))

const files = async (...parts) => parts.map(part => part.includes('.') ? part : `map-cache.${part}.heapsnapshot`).map(async name => path.join(await written, name))
const fileList = (...parts) => files(...parts).then(promises => Promise.all(promises))

test('two snapshots: the headline first, the progress apart, a private page on request', async () => {
  const [before, after, html] = await fileList('first', 'second', 'leak.html')
  const { code, stdout, stderr } = await cli(['diff', before, after, '--html', html])
  assert.equal(code, 0, stderr)
  assert.match(stdout, /^Heap \d+\.\d → \d+\.\d MB\. `sessions` \(Map in map-cache\.js:5\) explains \d+\.\d MB \(\d+ %\)\n/)
  assert.match(stderr, /^written: .*leak\.html/)
  assert.equal(fs.statSync(html).mode & 0o777, 0o600)
  assert.match(fs.readFileSync(html, 'utf8'), /^<!doctype html>/)
  assert.equal((await cli(['diff', before, after, '--html', html])).code, 1)
})

test('three snapshots raise the confidence; --json has everything, --all every class', async () => {
  const three = await fileList('first', 'second', 'third')
  const { type, suspects: [suspect], classes, snapshots } = JSON.parse((await cli(['diff', ...three, '--json'])).stdout)
  assert.deepEqual([type, suspect.name, suspect.confidence, snapshots.length], ['loopscope-heap-comparison', 'sessions', 'high', 3])
  const { stdout } = await cli(['diff', ...three, '--all'])
  for (const { name } of classes.filter(({ isNoise }) => isNoise).slice(0, 3)) assert.ok(stdout.includes(name.slice(0, 40)))
})

test('an index stands in for the older one', async () => {
  const [before, after, index] = await fileList('first', 'third', 'map-cache.first.heapindex')
  assert.equal((await cli(['index', before, '-o', index])).code, 0)
  assert.equal(fs.statSync(index).mode & 0o777, 0o600)
  const [ofIndex, ofFile] = await Promise.all([index, before].map(file => cli(['diff', file, after])))
  assert.deepEqual([ofIndex.code, ofIndex.stdout], [0, ofFile.stdout])
})

test('wrong files and options are sentences with exit codes', async () => {
  const [before, after, broken] = await fileList('first', 'second', 'broken.heapsnapshot')
  fs.writeFileSync(broken, fs.readFileSync(before).subarray(0, 100_000))
  for (const [args, expected, message] of [
    [[before, broken], 1, /broken\.heapsnapshot is not a valid heap snapshot: expected at least \d+ bytes/],
    [[before, 'none.heapsnapshot'], 1, /Cannot read none\.heapsnapshot/],
    [[before, 'x.cpuprofile'], 2, /are of different kinds/],
    [[before, after, '--root', '/'], 2, /--root cannot be used with/],
    [['a.cpuprofile', 'b.cpuprofile', '--html', 'x'], 2, /--html cannot be used with/],
    [[before], 2, /takes/]
  ]) {
    const { code, stderr } = await cli(['diff', ...args])
    assert.deepEqual([code, message.test(stderr)], [expected, true], stderr)
    assert.ok(!/ {4}at /.test(stderr), stderr)
  }
})
