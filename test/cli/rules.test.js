'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { answered } = require('./answered')

const RULE = {
  name: 'stuck',
  when: { stallMs: 1000 },
  withinSeconds: null,
  forSeconds: 0,
  do: ['capture cpu last=10', 'webhook https://example.com'],
  limit: { coolDownSeconds: 600, perDay: 10, perCulpritPerDay: 3, highWaterMark: false, everyNth: 1 },
  isHere: true,
  now: [],
  heldSince: null,
  counts: { done: 1, failed: 0, limited: 2, 'dry-run': 0 },
  last: {
    rule: 'stuck',
    at: 1_795_328_643_405,
    conditions: [{ name: 'stallMs', value: 1022, wanted: 1000 }],
    culprit: { function: 'login', file: 'app.js', line: 8, column: 3 },
    route: 'POST /login',
    artifacts: [{ kind: 'cpu', name: 'cpu-1.cpuprofile', path: '/store/cpu-1.cpuprofile', bytes: 5 }],
    outcome: 'done',
    problem: null
  }
}
const OTHER = {
  ...RULE,
  name: 'busy',
  when: { blockedShare: 0.3, finding: 'hot-json' },
  withinSeconds: 60,
  forSeconds: 10,
  now: [{ name: 'blockedShare', value: 0.1, isMet: false }],
  counts: { done: 0, failed: 0, limited: 0, 'dry-run': 0 },
  last: null
}

/** What the command says of this answer. */
function shown (t, answer, ...options) {
  return answered(t, answer, 'rules', ...options)
}

test('each rule is shown with its conditions, its state and what it did', async t => {
  const { code, stdout, stderr } = await shown(t, { dryRun: false, rules: [RULE, OTHER, { ...OTHER, name: 'elsewhere', isHere: false }] }, '--wide')
  assert.deepEqual([code, stderr], [0, ''])
  const [, stuck, busy, elsewhere] = stdout.split('\n')
  assert.match(stuck, /^stuck +stallMs >= 1000 +capture cpu last=10, webhook https:\/\/example\.com +waiting for a stall +1 done, 2 limited .* done: stallMs 1022 in login \(app\.js:8\), wrote cpu-1\.cpuprofile$/)
  assert.match(busy, /^busy +blockedShare >= 0\.3 and finding hot-json within 60 s, for 10 s .* condition not met +- +- +-$/)
  assert.match(elsewhere, /inactive in this process \(everyNth 1\)/)
})

test('a dry run is mentioned first, and no rules are an answer', async t => {
  assert.match((await shown(t, { dryRun: true, rules: [RULE] })).stdout, /^dry run: /)
  assert.equal((await shown(t, { dryRun: false, rules: [] })).stdout, 'no rules\n')
})

test('the data is given as it is', async t => {
  assert.deepEqual(JSON.parse((await shown(t, { dryRun: false, rules: [RULE] }, '--json')).stdout).rules, [RULE])
})
