'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { diffProfiles } = require('../../lib/shared/formats/differences/cpu-profile')
const { encodeCpuProfile } = require('../../lib/shared/formats/cpuprofile')
const { craft } = require('../fixtures/profiles/profiles')
const { makeScratch } = require('../store/scratch')
const { cli } = require('./cli')

const BEFORE = craft([[['serve', 'parse'], 600_000], [['serve', 'send'], 400_000], [['(idle)'], 1_000_000]])
const AFTER = craft([[['serve', 'parse'], 100_000], [['serve', 'send'], 400_000]])

function write (t, name, profile) {
  const file = path.join(makeScratch(t), name)
  fs.writeFileSync(file, encodeCpuProfile(profile))
  return file
}

test('report prints a profile as text, from a file or from standard input', async t => {
  const file = write(t, 'before.cpuprofile', BEFORE)
  const ofFile = await cli(['report', file])
  assert.deepEqual([ofFile.code, ofFile.stderr], [0, ''])
  assert.match(ofFile.stdout, /parse app\.js|parse .*app\.js/)
  const ofInput = await cli(['report', '-'], { input: fs.readFileSync(file, 'utf8') })
  assert.match(ofInput.stdout, /parse/)
})

test('flame writes a private page beside the profile, and not over one that is there', async t => {
  const file = write(t, 'before.cpuprofile', BEFORE)
  const page = file.replace('.cpuprofile', '.html')
  assert.equal((await cli(['flame', file])).code, 0)
  assert.equal(fs.statSync(page).mode & 0o777, 0o600)
  assert.match(fs.readFileSync(page, 'utf8'), /^<!doctype html>/i)
  const again = await cli(['flame', file])
  assert.deepEqual([again.code, /is there already/.test(again.stderr)], [1, true])
  assert.equal((await cli(['flame', file, '--force'])).code, 0)
})

test('diff compares shares of the time at work, hotter first', async t => {
  const files = [write(t, 'before.cpuprofile', BEFORE), write(t, 'after.cpuprofile', AFTER)]
  const { rows, before } = JSON.parse((await cli(['diff', ...files, '--json'])).stdout)
  assert.deepEqual(before, { busyMs: 1000, totalMs: 2000 })
  assert.deepEqual(rows.map(({ name, selfBefore, selfAfter }) => [name, selfBefore, selfAfter]), [['send', 0.4, 0.8], ['parse', 0.6, 0.2]])
  const text = await cli(['diff', ...files])
  assert.match(text.stdout, /\+40\.0 % +40\.0 % +80\.0 % .*send/)
})

test('a recursion counts once in the total', () => {
  const { rows } = diffProfiles(craft([[['walk'], 1000]]), craft([[['walk', 'walk', 'walk'], 1000], [['other'], 1000]]))
  const walk = rows.find(({ name }) => name === 'walk')
  assert.deepEqual([walk.totalBefore, walk.totalAfter], [1, 0.5])
})

for (const [name, content] of [['empty', ''], ['no JSON', 'x'], ['another thing', '{"a":1}'], ['a cut profile', '{"nodes":[']]) {
  test(`${name} is refused with the name of the file`, async t => {
    const file = path.join(makeScratch(t), 'bad.cpuprofile')
    fs.writeFileSync(file, content)
    for (const command of ['report', 'flame']) {
      const { code, stderr } = await cli([command, file])
      assert.equal(code, 1)
      assert.ok(stderr.includes(file) && !/^ +at /m.test(stderr), stderr)
    }
  })
}

test('a file that is not there is named', async () => {
  const { code, stderr } = await cli(['report', '/nowhere/x.cpuprofile'])
  assert.equal(code, 1)
  assert.match(stderr, /Cannot read \/nowhere\/x\.cpuprofile/)
})
