'use strict'

// What `loopscope bench` refuses before it does anything.

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { provideAutocannon } = require('../../lib/cli/bench/autocannon')
const { expand } = require('../../lib/cli/bench/processors')
const { encodeBench, readBench } = require('../../lib/cli/bench/result-file')
const { Failure } = require('../../lib/cli/failure')
const { bench, profileOf, round } = require('./benches')
const { cli } = require('./cli')
const { makeShortScratch } = require('../store/scratch')

test('a result is read as it was written', t => {
  const file = path.join(makeShortScratch(t), 'before.json')
  const result = bench({ profile: profileOf({ hash: 9 }) })
  fs.writeFileSync(file, encodeBench(result))
  assert.deepEqual(readBench(file), result)
})

for (const [what, text, message] of [
  ['no result', '{"kind":"other"}', /is not the result of a benchmark.*Expected a file of `loopscope bench`/s],
  ['an array', '[]', /is not the result of a benchmark/],
  ['null', 'null', /is not the result of a benchmark/],
  ['cut off', encodeBench(bench()).toString().slice(0, 300), /is not JSON.*may be truncated/s],
  ['of another version', JSON.stringify({ ...bench(), version: 2, loopscope: '9.9.9' }), /has version 2, of loopscope 9\.9\.9; this is .*version 1/],
  ['without rounds', JSON.stringify({ ...bench(), rounds: [] }), /was modified or is damaged: rounds has/],
  ['with half a round', JSON.stringify(bench({ rounds: [{ ...round({ perSecond: 1 }), latencyMs: {} }] })), /damaged: rounds\[0\]\.latencyMs has/],
  ['with a finding that is none', JSON.stringify(bench({ rounds: [round({ perSecond: 1, findings: [{}] })] })), /damaged: rounds\[0\]\.findings has/],
  ['with a profile that is none', JSON.stringify(bench({ profile: { nodes: 1 } })), /damaged: /]
]) {
  test(`a file that is ${what} is refused in a sentence`, t => {
    const file = path.join(makeShortScratch(t), 'x.json')
    fs.writeFileSync(file, text)
    assert.throws(() => readBench(file), error => error instanceof Failure && message.test(error.message))
  })
}

for (const [args, message, exitCode = 2] of [
  [['--url', 'login', '--', 'node'], /--url must be a path that begins with \//],
  [['--seconds', '61', '--', 'node'], /--seconds must be an integer from 1 to 60, got 61/],
  [['--connections', '1e9', '--', 'node'], /--connections must be an integer from 1 to 1000/],
  [['--header', 'x', '--', 'node'], /--header must be a name, a colon and a value/],
  [['--json', '--', 'node'], /--json needs --compare/],
  [['-o', '/nowhere/at/all.json', '--', 'node'], /the folder \/nowhere\/at does not exist/, 1],
  [['--compare', 'a.json'], /--compare takes two files.*got 1/],
  [['--compare', 'a.json', 'b.json', '--seconds', '3'], /--seconds cannot be used with --compare/],
  [[], /bench takes -- <command>/]
]) {
  test(`loopscope bench ${args.join(' ')} is wrong use`, async () => {
    const { code, stderr } = await cli(['bench', ...args])
    assert.equal(code, exitCode)
    assert.match(stderr, message)
  })
}

test('a file that is there is not written over, which is said before anything is started', async t => {
  const file = path.join(makeShortScratch(t), 'before.json')
  fs.writeFileSync(file, 'mine')
  const { code, stderr } = await cli(['bench', '-o', file, '--', process.execPath, '-e', 'console.log("started")'])
  assert.deepEqual([code, /already exists/.test(stderr), /started/.test(stderr)], [1, true, false])
  assert.equal(fs.readFileSync(file, 'utf8'), 'mine')
})

test('without autocannon and without a terminal, the error states how to install it', async t => {
  const folder = makeShortScratch(t)
  const surroundings = { env: { XDG_CACHE_HOME: folder }, terminal: { ask: async () => null }, signal: new AbortController().signal }
  await assert.rejects(provideAutocannon(surroundings, [folder]), /autocannon, which is not installed\.\n.*npm install --save-dev autocannon/)
  assert.deepEqual(fs.readdirSync(folder), [])
  assert.match((await provideAutocannon(surroundings, [folder, __dirname])).file, /autocannon\.js$/)
})

test('lists of processors are read', () => {
  assert.deepEqual([expand(''), expand('0'), expand('0-2,5')], [[], [0], [0, 1, 2, 5]])
})
