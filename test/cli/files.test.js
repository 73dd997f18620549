'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { diffProfiles } = require('../../lib/formats/differences')
const { encodeCpuProfile } = require('../../lib/formats/cpuprofile')
const { craft, withRoutes } = require('../fixtures/profiles/profiles')
const { makeScratch } = require('../store/scratch')
const { cli } = require('./cli')

/** In samples of ten milliseconds, as they are recorded: of a few samples no difference is clear. */
const sampled = stretches => craft(stretches.flatMap(([stack, micros]) => Array.from({ length: micros / 10_000 }, () => [stack, 10_000])))

const BEFORE = sampled([[['serve', 'parse'], 600_000], [['serve', 'send'], 400_000], [['(idle)'], 1_000_000]])
const AFTER = sampled([[['serve', 'parse'], 100_000], [['serve', 'send'], 400_000]])

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

test('flame writes a private page, in a folder by its own name, and not over one that is there', async t => {
  const file = write(t, 'before.cpuprofile', BEFORE)
  const page = file.replace('.cpuprofile', '.html')
  assert.equal((await cli(['flame', file, '-o', path.dirname(file)])).code, 0)
  assert.equal(fs.statSync(page).mode & 0o777, 0o600)
  assert.match(fs.readFileSync(page, 'utf8'), /^<!doctype html>/i)
  const again = await cli(['flame', file, '-o', page])
  assert.deepEqual([again.code, /already exists/.test(again.stderr)], [1, true])
  assert.equal((await cli(['flame', file, '-o', page, '--force'])).code, 0)
})

test('diff compares shares of the busy time, what changed most first', async t => {
  const files = [write(t, 'before.cpuprofile', BEFORE), write(t, 'after.cpuprofile', AFTER)]
  const { rows, before } = JSON.parse((await cli(['diff', ...files, '--json'])).stdout)
  assert.deepEqual(before, { busyMs: 1000, totalMs: 2000 })
  assert.deepEqual(rows.map(({ name, selfBefore, selfAfter }) => [name, selfBefore, selfAfter]), [['send', 0.4, 0.8], ['parse', 0.6, 0.2]])
  const text = await cli(['diff', ...files])
  assert.match(text.stdout, /^busy time: .*\nShares are of the busy time, which changed: .*\n\nfunctions of the application, with what they call\nBEFORE +AFTER +CHANGE +FUNCTION\n40\.0 % +80\.0 % +\+40\.0 % +send .*\n60\.0 % +20\.0 % +-40\.0 % +parse /)
})

test('diff leads with the functions of the application, and says what is new or gone', async t => {
  const stacksBefore = [[['serve', 'login', 'node:pbkdf2Sync'], 800_000], [['serve', 'render'], 200_000]]
  const stacksAfter = [[['serve', 'login', 'node:pbkdf2'], 100_000], [['serve', 'render'], 700_000], [['serve', 'cache'], 200_000]]
  const files = [write(t, 'before.cpuprofile', sampled(stacksBefore)), write(t, 'after.cpuprofile', sampled(stacksAfter))]
  const { stdout } = await cli(['diff', ...files])
  const [, own, others] = /functions of the application.*\n.*\n([^]*?)\n\npackages, .*\n.*\n([^]*)$/.exec(stdout)
  const wordsOf = text => text.trim().split('\n').map(line => /^ *(\S+(?: %)?) +(\S+(?: %)?) +(\S+ %) +(\w+) /.exec(line).slice(1))
  assert.deepEqual(wordsOf(own), [['80.0 %', '10.0 %', '-70.0 %', 'login'], ['20.0 %', '70.0 %', '+50.0 %', 'render'], ['new', '20.0 %', '+20.0 %', 'cache']])
  assert.deepEqual(wordsOf(others), [['80.0 %', 'gone', '-80.0 %', 'pbkdf2Sync'], ['new', '10.0 %', '+10.0 %', 'pbkdf2']])
})

test('diff leaves out what a few samples more or less change, unless all is asked for', async t => {
  const stacksBefore = [[['serve', 'login'], 800_000], [['serve', 'render'], 200_000]]
  const stacksAfter = [[['serve', 'login'], 300_000], [['serve', 'render'], 680_000], [['serve', 'cache'], 20_000]]
  const files = [write(t, 'before.cpuprofile', sampled(stacksBefore)), write(t, 'after.cpuprofile', sampled(stacksAfter))]
  const { stdout } = await cli(['diff', ...files])
  assert.ok(/ render /.test(stdout) && !/ cache /.test(stdout), stdout)
  assert.match(stdout, /\n\d rows? changed by less than 0\.5 % of the busy time, or by no more than chance; --all shows them\n/)
  assert.match((await cli(['diff', ...files, '--all'])).stdout, / cache /)
})

test('diff writes a flame graph of what changed where the file is to be a page', async t => {
  const files = [write(t, 'before.cpuprofile', BEFORE), write(t, 'after.cpuprofile', AFTER)]
  const page = path.join(path.dirname(files[0]), 'diff.html')
  const { code, stdout } = await cli(['diff', ...files, '-o', page])
  assert.deepEqual([code, stdout], [0, ''])
  const html = fs.readFileSync(page, 'utf8')
  assert.match(html, /^<!doctype html>[^]*<h1>What changed<\/h1>[^]*before: .*before\.cpuprofile · 1\.00 s busy of 2\.00 s/)
  assert.equal(fs.statSync(page).mode & 0o777, 0o600)
  assert.equal((await cli(['diff', ...files, '-o', page])).code, 1)
  assert.equal((await cli(['diff', ...files, '-o', page, '--json', '--force'])).code, 0)
  assert.equal(JSON.parse(fs.readFileSync(page, 'utf8')).rows.length, 2)
})

const LABELLED = withRoutes(craft([[['serve', 'login'], 600_000], [['serve', 'parse'], 400_000]]), { login: 'POST /login', parse: 'GET /parse' })

test('report, flame and diff take the part of one route', async t => {
  const file = write(t, 'labelled.cpuprofile', LABELLED)
  const { stdout } = await cli(['report', file, '--route', 'POST /login'])
  assert.match(stdout, /^Note: only POST \/login: 0\.60 s of 1\.00 s of busy time \(60\.0 %\)/m)
  assert.ok(/100\.0% {2}login /.test(stdout) && !/parse /.test(stdout))
  const page = await cli(['flame', file, '--route', 'POST /login', '-o', '-'])
  assert.ok(/only POST \/login/.test(page.stdout) && !/"parse"/.test(page.stdout))
  const other = write(t, 'other.cpuprofile', LABELLED)
  const difference = JSON.parse((await cli(['diff', file, other, '--route', 'POST /login', '--json'])).stdout)
  assert.deepEqual(difference, { before: { busyMs: 600, totalMs: 1000 }, after: { busyMs: 600, totalMs: 1000 }, rows: [] })
})

test('a route that is not in the file is refused with those that are', async t => {
  const file = write(t, 'labelled.cpuprofile', LABELLED)
  for (const args of [['report', file], ['flame', file], ['diff', file, file]]) {
    const { code, stderr } = await cli([...args, '--route', 'GET /login'])
    assert.equal(code, 1)
    assert.match(stderr, /labelled\.cpuprofile: the profile has no samples of the route GET \/login; its routes: POST \/login, GET \/parse\n/)
  }
})

test('memory has no routes, nor has a process without loopscope', async t => {
  const file = path.join(makeScratch(t), 'x.heapprofile')
  fs.writeFileSync(file, '{}')
  for (const args of [['report', file], ['flame', file], ['diff', file, file], ['profile', '--attach', String(process.pid)]]) {
    const { code, stderr } = await cli([...args, '--route', 'GET /'])
    assert.deepEqual([code, /--route/.test(stderr)], [2, true], args[0])
  }
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
