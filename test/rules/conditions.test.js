'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { ACTIONS } = require('../../lib/shared/rules/actions')
const { CONDITIONS, judge } = require('../../lib/shared/rules/conditions')
const { suspectOf } = require('../../lib/observer/rules/firing')
const { DEFAULTS } = require('../../lib/shared/rules/limits')
const { readingsOf, ruleOf } = require('./readings')

const NOW_MS = 100_000
const first = { atMs: NOW_MS - 60_000, activeMs: 0, idleMs: 0, delay: { bounds: [0.01, 0.1, 1], counts: [0, 0, 0], count: 0 }, responses: 100, errorResponses: 50, heapAfterGcBytes: null }
const last = { atMs: NOW_MS - 1000, activeMs: 45_000, idleMs: 15_000, delay: { bounds: [0.01, 0.1, 1], counts: [90, 95, 100], count: 100 }, responses: 200, errorResponses: 60, heapAfterGcBytes: 7e8 }
const [login, home] = [{ function: 'login', file: 'a.js', line: 9, column: 1, functionLine: 8 }, { function: 'home', file: 'b.js', line: 3, column: 1, functionLine: 2 }]
const stalls = [
  { fromMs: 10_000, toMs: 20_000, culprit: home, route: 'GET /' },
  { fromMs: 39_000, toMs: 41_000, culprit: home, route: 'GET /' },
  { fromMs: 80_000, toMs: 97_000, culprit: login, route: 'POST /login' }
]

function told (when, readings) {
  const [{ value, isMet }] = judge(ruleOf({ when }), readingsOf(readings))
  return [value === null ? null : Math.round(value * 1000) / 1000, isMet]
}

for (const [title, when, readings, expected] of [
  ['no stall in this moment says nothing', { stallMs: 1000 }, {}, [null, null]],
  ['a stall that is long enough', { stallMs: 1000 }, { stall: { durationMs: 1000 } }, [1000, true]],
  ['stalls are counted within the window', { stallCount: 3 }, { stalls }, [2, false]],
  ['the blocked share is that of the window', { blockedShare: 0.3 }, { stalls }, [0.3, true]],
  ['a window that was not seen whole has none', { blockedShare: 0.1 }, { stalls, sinceMs: 50_000 }, [null, null]],
  ['utilization is a difference', { utilization: 0.75 }, { loop: [first, last] }, [0.75, true]],
  ['one reading says nothing', { utilization: 0.1 }, { loop: [last] }, [null, null]],
  ['nor does one that was not renewed', { utilization: 0.1 }, { loop: [first, last], nowMs: NOW_MS + 20_000 }, [null, null]],
  ['the 99th percentile of the delay', { delayP99Ms: 500 }, { loop: [first, last] }, [820, true]],
  ['failed responses of the window', { errorResponseShare: 0.2 }, { loop: [first, last] }, [0.1, false]],
  ['memory of the process', { rssBytes: 50e6 }, {}, [50e6, true]],
  ['the heap after collections, once there was one', { heapAfterGcBytes: 1 }, { loop: [first] }, [null, null]],
  ['the heap after collections', { heapAfterGcBytes: 6e8 }, { loop: [first, last] }, [7e8, true]],
  ['findings that were not made', { finding: 'hot-json' }, {}, [null, null]],
  ['a finding of the kind', { finding: 'hot-json' }, { findings: [{ id: 'hot-json', share: 0.4 }] }, [0.4, true]],
  ['findings of other kinds', { finding: 'hot-json' }, { findings: [{ id: 'starved', share: 0.4 }] }, [0, false]]
]) test(title, () => assert.deepEqual(told(when, readings), expected))

test('the culprit is the function with most of the time of the stalls, or that of the finding', () => {
  const suspect = (when, readings) => suspectOf(ruleOf({ when }), readingsOf(readings))
  assert.deepEqual(suspect({ stallCount: 1 }, { stalls }), { culprit: login, route: 'POST /login' })
  assert.deepEqual(suspect({ rssBytes: 1 }, { stalls }), { culprit: null, route: null })
  assert.equal(suspect({ finding: 'hot-json' }, { findings: [{ id: 'hot-json', share: 1, where: { ...home, route: 'GET /' } }] }).route, 'GET /')
})

test('docs/rules.md has every condition, action and limit with its default', () => {
  const text = fs.readFileSync(path.join(__dirname, '../../docs/rules.md'), 'utf8')
  const section = name => text.split(`\n## ${name}\n`)[1].split('\n## ')[0]
  const names = name => [...section(name).matchAll(/^\| `(\w+)` \|/gm)].map(([, found]) => found)
  assert.deepEqual(names('Conditions').sort(), Object.keys(CONDITIONS).sort())
  assert.deepEqual([...section('Actions').matchAll(/^\| `\{ (\w+):/gm)].map(([, found]) => found), Object.keys(ACTIONS))
  assert.deepEqual(Object.fromEntries([...section('Limits').matchAll(/^\| `(\w+)` \| `(\w+)` \|/gm)].map(([, name, value]) => [name, JSON.parse(value)])), DEFAULTS)
})
