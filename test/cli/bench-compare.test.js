'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { Writable } = require('node:stream')
const { chanceOf, compareBenches } = require('../../lib/cli/bench/compare')
const { showFigure, showMicros } = require('../../lib/cli/bench/figures')
const { showBench, showComparison } = require('../../lib/cli/bench/format-text')
const { createTerminal } = require('../../lib/cli/output/terminal')
const { bench, finding, profileOf, round } = require('./benches')

const compare = (before, after) => compareBenches({ file: 'before.json', bench: before }, { file: 'after.json', bench: after })
const figure = ({ figures }, name) => figures.find(one => one.name === name)

test('ranges that lie apart are a difference, which is better or worse by what is measured', () => {
  const comparison = compare(bench({ rates: [100, 110, 120] }), bench({ rates: [200, 220, 240] }))
  assert.equal(figure(comparison, 'requests/s').verdict, 'better')
  assert.deepEqual(figure(comparison, 'requests/s').ratio, { median: 2, min: 200 / 120, max: 2.4 })
  assert.equal(figure(comparison, 'latency p99').verdict, 'better')
  const back = compare(bench({ rates: [200, 220, 240] }), bench({ rates: [100, 110, 120] }))
  assert.deepEqual(['requests/s', 'latency p99', 'CPU per request'].map(name => figure(back, name).verdict), ['worse', 'worse', 'worse'])
})

test('ranges that touch are no difference seen', () => {
  assert.equal(figure(compare(bench({ rates: [100, 110, 120] }), bench({ rates: [120, 130, 140] })), 'requests/s').verdict, 'no difference seen')
})

test('utilization is higher or lower, neither of which is better', () => {
  const busy = bench({ rounds: [1, 2, 3].map(() => round({ perSecond: 100, utilization: 0.95 })) })
  assert.equal(figure(compare(bench(), busy), 'utilization').verdict, 'higher')
  assert.equal(figure(compare(busy, bench()), 'utilization').verdict, 'lower')
})

test('of too few rounds nothing is said, and how often equal programs differ is', () => {
  assert.deepEqual([chanceOf(1, 1), chanceOf(3, 3), chanceOf(5, 5)], [1, 10, 126])
  const comparison = compare(bench({ rates: [100, 101] }), bench({ rates: [200, 201] }))
  assert.deepEqual([comparison.chance, figure(comparison, 'requests/s').verdict], [3, 'too few rounds'])
})

test('a figure that is not known, or was 0 all the time, is left out; of 0 there is no ratio', () => {
  const unknown = bench({ rounds: [1, 2, 3].map(() => round({ perSecond: 100, delayMs: null })) })
  assert.equal(figure(compare(unknown, bench()), 'loop delay p99'), undefined)
  assert.equal(figure(compare(bench(), bench()), 'stalls'), undefined)
  const stalled = bench({ rounds: [1, 2, 3].map(() => round({ perSecond: 100, stalls: { count: 2, blockedMs: 300, byCause: [], byCulprit: [] } })) })
  assert.deepEqual([figure(compare(stalled, bench()), 'stalls').ratio, figure(compare(stalled, bench()), 'stalls').verdict], [null, 'better'])
})

test('findings of most rounds went, came and stayed, also where their line has moved', () => {
  const rounds = (...lists) => bench({ rounds: lists.map(findings => round({ perSecond: 100, findings })) })
  const calm = finding('nothing-wrong', 'x', { severity: 'none', where: null })
  const [slow, moved, rare] = [finding('hot-function', 'sum'), finding('hot-function', 'sum', { title: 'moved' }), finding('starved', 'x', { where: null })]
  moved.where = { ...moved.where, line: 99 }
  const hash = finding('hot-sync-call', 'login')
  const { gone, came, stayed } = compare(rounds([slow, hash], [slow, hash, rare], [slow, hash]), rounds([moved, calm], [moved], [moved, rare])).findings
  assert.deepEqual(gone.map(change => [change.finding.id, change.roundsBefore, change.roundsAfter]), [['hot-sync-call', 3, 0]])
  assert.deepEqual(came, [])
  assert.deepEqual(stayed.map(change => change.finding.title), ['moved'])
})

test('functions are compared by the time a request takes, so that what did not change stays where it was', () => {
  const before = bench({ profile: profileOf({ hash: 900, parse: 100 }) })
  const after = bench({ profile: profileOf({ parse: 100, '(idle)': 900 }) })
  const { hotter, colder } = compare(before, after).functions
  assert.deepEqual(hotter, [])
  assert.deepEqual(colder.map(({ name, before, after, change }) => [name, before, after, change]), [['hash', 900, 0, -900]])
  assert.equal(compare(before, bench()).functions, null)
})

test('what changed beside the code is said, and what was wrong with the measurement', () => {
  const other = bench({ load: { tool: 'autocannon 9.0.0', connections: 50, seconds: 10, warmUpSeconds: 3 } })
  const refused = bench({ rounds: [1, 2, 3].map(() => round({ perSecond: 100, answered: 1000, non2xx: 1000, statusCodes: { 404: 1000 } })) })
  assert.deepEqual(compare(bench({ profile: profileOf({ a: 1 }) }), bench({ profile: profileOf({ a: 1 }) })).warnings, [])
  assert.match(compare(bench(), other).warnings.join('\n'), /connections was 20 before and is 50 after/)
  assert.match(compare(bench(), refused).warnings.join('\n'), /After: NO ANSWER WAS SUCCESSFUL \(404: 3000\)/)
  const shared = bench({ processors: { pinning: null, reason: '--no-pin', applicationCount: null } })
  assert.match(compare(shared, shared).warnings.join('\n'), /^The application and the load generator shared the CPUs/m)
})

test('figures are written in three digits', () => {
  assert.deepEqual([0, 4, 0.0213, 0.613, 53.94, 229.4, 17027].map(showFigure), ['0', '4', '0.02', '0.61', '53.9', '229', '17027'])
})

/** Two benches in which everything changed, with long names. */
function everythingChanged () {
  const range = (low, high) => ({ low, high })
  const prediction = { reason: null, routes: [{ route: 'POST /customers/:id/orders', p50Ms: range(500, 700), p95Ms: range(1000, 2000) }] }
  const hash = finding('hot-sync-call', 'login', { prediction, title: `POST /customers/:id/orders spends 97 % of the loop's busy time in ${'crypto.pbkdf2Sync, called in login '.repeat(3)}` })
  const other = finding('hot-sync-call', 'other', { prediction: { ...prediction, routes: [{ ...prediction.routes[0], p50Ms: range(1, 2) }] } })
  const routes = ms => [{ route: 'POST /customers/:id/orders', requests: 50, p50Ms: ms, p95Ms: ms * 2 }]
  const rounds = (findings, ms) => [1, 2, 3].map(number => round({ perSecond: number * 1e4 / ms, findings, routes: routes(ms), stalls: { count: number * 9, blockedMs: 1e4 + number, byCause: [], byCulprit: [] } }))
  return [bench({ rounds: rounds([other, hash], 4000), profile: profileOf({ hash: 900, parse: 100 }) }), bench({ rounds: rounds([other], 40), profile: profileOf({ parse: 900 }) })]
}

const printed = show => {
  let text = ''
  show(createTerminal({ env: { COLUMNS: '80' }, output: new Writable({ write (chunk, encoding, done) { text += chunk; done() } }) }))
  return text
}

test('nothing is wider than 80 columns, and no figure is cut', () => {
  const [before, after] = everythingChanged()
  const text = printed(terminal => showComparison(compare(before, after), terminal)) + printed(terminal => showBench(before, terminal))
  for (const line of text.split('\n')) assert.ok(line.length <= 80, line)
  assert.doesNotMatch(text, /\d…/)
})

test('what got hotter and colder has readable units', () => {
  const [before, after] = everythingChanged()
  assert.match(printed(terminal => showComparison(compare(before, after), terminal)), /^\+800 µs +100 µs +900 µs +parse app\.js:8$/m)
  assert.deepEqual([-419_485.3, 0.31, 2_000_000].map(micros => showMicros(micros, { isChange: true })), ['-419 ms', '+0.31 µs', '+2 s'])
})

test('of each route the prediction of the finding that has gone is beside what was measured', () => {
  const [before, after] = everythingChanged()
  assert.match(printed(terminal => showComparison(compare(before, after), terminal)), /^ROUTE .* BEFORE +AFTER +PREDICTED\nPOST \/customers\/:id\/orders +p50 +4000 +40 +500 to 700\n +p95 +8000 +80 +1000 to 2000$/m)
})

test('of too few rounds it is said how many are enough', () => {
  const text = printed(terminal => showComparison(compare(bench({ rates: [100] }), bench({ rates: [200] })), terminal))
  assert.match(text, /no figure is called better or worse: --rounds 3/)
})
