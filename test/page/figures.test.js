'use strict'

// What the page works out of the answers: delays on a scale, a stretch of the recorder's past, requests a second, and stalls with their stacks.

const test = require('node:test')
const assert = require('node:assert/strict')
const {
  addReading, calledBy, clampRange, describeFolded, foldStack, groupStalls, labelOf, originOf, partsOf, peaksOf,
  perSecond, placeLabel, recordedRange, scaleOf, stallsOf, stepsTo, timeOfDay, toScale
} = require('../../lib/page/dashboard/figures')

test('the scale goes from a millisecond to the power of ten above the highest, a second at least', () => {
  assert.deepEqual([[], [3, null], [1000], [1001], [20_000]].map(scaleOf), [[1, 1000], [1, 1000], [1, 1000], [1, 10_000], [1, 100_000]])
  assert.deepEqual(stepsTo(10_000).map(labelOf), ['1 ms', '10 ms', '100 ms', '1 s', '10 s'])
})

test('what is shorter than a millisecond is drawn as one, and what is not known not at all', () => {
  assert.deepEqual([0, 0.4, 1, 20, null].map(toScale), [1, 1, 1, 20, null])
})

test('the highest peaks are written out, and not two beside each other', () => {
  const times = Array.from({ length: 60 }, (_, second) => second)
  const values = times.map(second => ({ 10: 400, 11: 20_000, 12: 500, 40: 150, 41: 120, 55: 99 })[second] ?? 5)
  assert.deepEqual(peaksOf(times, values, { leastMs: 100, apart: 7 }), [11, 40])
  assert.deepEqual(peaksOf(times, values.map(() => 200), { leastMs: 100, apart: 7 }).length, 3)
  assert.deepEqual(peaksOf([], [], { leastMs: 100, apart: 7 }), [])
  assert.deepEqual(peaksOf([1, 2], [null, 300], { leastMs: 100, apart: 7 }), [1])
})

test('a label has the first place where it overprints no other, or none', () => {
  const box = (left, top) => ({ left, top, width: 40, height: 12 })
  const taken = []
  assert.deepEqual(placeLabel([box(0, 0)], taken), box(0, 0))
  assert.deepEqual(placeLabel([box(40, 0)], taken), box(40, 0), 'beside it')
  assert.deepEqual(placeLabel([box(20, 0), box(20, 12)], taken), box(20, 12), 'below both')
  assert.equal(placeLabel([box(10, 6)], taken), null)
  assert.equal(taken.length, 3)
})

const RANGE = { fromMs: 100_000, toMs: 160_000 }

test('what can be chosen is what the recorder holds, in whole seconds', () => {
  const times = { startedAt: 1500, now: 61_200 }
  assert.deepEqual(recordedRange({ off: null, fromMs: 10_700 }, times), { fromMs: 10_000, toMs: 62_000 })
  assert.deepEqual(recordedRange({ off: null, fromMs: null }, times), { fromMs: 1000, toMs: 62_000 }, 'before its first window ended')
  assert.deepEqual(recordedRange({ off: null, fromMs: 61_100 }, times), { fromMs: 60_000, toMs: 62_000 }, 'a second at least')
  assert.equal(recordedRange({ off: 'option recorder is false', fromMs: null }, times), null)
})

test('what is chosen outside of it is moved into it, and is a second at least', () => {
  const cases = [
    [[110_000, 120_000], [110_000, 120_000], false],
    [[0, 120_000], [100_000, 120_000], true],
    [[110_000, 999_000], [110_000, 160_000], true],
    [[0, 50_000], [100_000, 101_000], true],
    [[500_000, 900_000], [159_000, 160_000], true],
    [[120_000, 110_000], [120_000, 121_000], true]
  ]
  for (const [[fromMs, toMs], expected, isMoved] of cases) {
    assert.deepEqual(clampRange({ fromMs, toMs }, RANGE), { fromMs: expected[0], toMs: expected[1], isMoved })
  }
})

test('a time of day is the nearest one that is not far ahead, also over midnight', () => {
  const noon = new Date(2026, 5, 1, 12, 0, 0).getTime()
  assert.equal(timeOfDay('11:59:30', noon), noon - 30_000)
  assert.equal(timeOfDay('12:01', noon), noon + 60_000)
  const midnight = new Date(2026, 5, 2, 0, 0, 20).getTime()
  assert.equal(timeOfDay('23:59:50', midnight), midnight - 30_000)
  for (const text of ['', 'x', '1:2']) assert.equal(timeOfDay(text, noon), null)
})

const after = readings => readings.reduce(addReading, [])

test('requests a second are those of the last five seconds', () => {
  const known = after([0, 100, 200, 300, 400, 500, 600, 700].map((answered, second) => ({ at: second * 1000, answered })))
  assert.equal(known.length, 6)
  assert.equal(perSecond(known), 100)
})

test('one reading says nothing, and neither does the same one again', () => {
  assert.equal(perSecond([]), null)
  assert.equal(perSecond(after([{ at: 1, answered: 5 }, { at: 1, answered: 5 }])), null)
})

test('after a long block the answer is of the time since', () => {
  assert.equal(perSecond(after([{ at: 0, answered: 0 }, { at: 1000, answered: 10 }, { at: 21_000, answered: 30 }, { at: 22_000, answered: 40 }])), 10)
})

test('another process begins anew', () => {
  assert.equal(perSecond(after([{ at: 0, answered: 50 }, { at: 1000, answered: 60 }, { at: 2000, answered: 3 }])), null)
})

const request = changes => ({ durationMs: 500, ownMs: 0, behindMs: 0, gcMs: 0, waitingMs: 0, ...changes })

test('the parts of a request are shares of its time, without what took nothing', () => {
  const parts = partsOf(request({ ownMs: 100, behindMs: 350, gcMs: 0.2, waitingMs: 50 }))
  assert.deepEqual(parts.map(({ kind, share }) => [kind, share]), [['own', 0.2], ['behind', 0.7], ['waiting', 0.1]])
})

test('parts that are more than the whole fill it, and none are none', () => {
  assert.deepEqual(partsOf(request({ ownMs: 600, gcMs: 200 })).map(({ share }) => share), [0.75, 0.25])
  assert.deepEqual(partsOf(request({ durationMs: 0 })), [])
})

const LOGIN = { function: 'login', file: 'auth.js', line: 23, functionLine: 20, call: 'pbkdf2Sync', via: null }
const stall = changes => ({ id: 1, at: 1000, durationMs: 100, cause: 'code', route: 'POST /login', culprit: LOGIN, stack: [], ...changes })

test('stalls of one route with one culprit are one row, the most time first', () => {
  const groups = groupStalls([
    stall({ id: 3, at: 3000, durationMs: 200, culprit: { ...LOGIN, line: 24 }, stack: ['longest'] }),
    stall({ id: 2, at: 2000, durationMs: 900, route: 'GET /report', culprit: { ...LOGIN, function: 'report' } }),
    stall({ id: 1, at: 1000, cause: 'gc' })
  ])
  assert.deepEqual(groups.map(({ route, count, totalMs, worstMs, lastAt }) => [route, count, totalMs, worstMs, lastAt]), [
    ['GET /report', 1, 900, 900, 2000],
    ['POST /login', 2, 300, 200, 3000]
  ])
  const [, login] = groups
  assert.deepEqual(login.stalls.map(({ id }) => id), [3, 1])
  assert.deepEqual(login.causes, [{ cause: 'code', count: 1 }, { cause: 'gc', count: 1 }])
  assert.deepEqual([login.culprit.line, login.stack], [24, ['longest']])
})

test('without a culprit stalls are grouped by their cause', () => {
  const groups = groupStalls([stall({ culprit: null, cause: 'gc' }), stall({ culprit: null, cause: 'starved' }), stall({ culprit: null, cause: 'gc' })])
  assert.deepEqual(groups.map(({ causes, count }) => [causes[0].cause, count]), [['gc', 2], ['starved', 1]])
})

test('what a culprit called is part of what it is', () => {
  const called = ['pbkdf2Sync', 'scryptSync'].map(call => stall({ culprit: { ...LOGIN, call } }))
  const entered = ['lodash', 'ramda'].map(name => stall({ culprit: { ...LOGIN, via: { package: name, function: 'clone' } } }))
  assert.equal(groupStalls([...called, ...entered]).length, 4)
})

test('ten thousand stalls of ten thousand routes are as many rows, and none makes none', () => {
  assert.equal(groupStalls(Array.from({ length: 10_000 }, (_, id) => stall({ id, route: `GET /${id}` }))).length, 10_000)
  assert.deepEqual(groupStalls([]), [])
})

test('a finding has the stalls of its cause, of its function, or of its route where it names none', () => {
  const [login, report] = [stall({}), stall({ route: 'GET /report', culprit: null, cause: 'starved' })]
  const where = { function: 'login', file: 'auth.js', route: 'POST /login' }
  assert.deepEqual(stallsOf({ id: 'hot-function', where }, [login, report]), [login])
  assert.deepEqual(stallsOf({ id: 'slow-elsewhere', where: { function: '', file: '', route: 'GET /report' } }, [login, report]), [report])
  assert.deepEqual(stallsOf({ id: 'starved', where: null }, [login, report]), [report])
  assert.deepEqual(stallsOf({ id: 'nothing-wrong', where: null }, [login, report]), [])
})

const frame = file => ({ function: 'f', file, line: 1, column: 1 })

test('distinguishes the application from packages and Node.js', () => {
  const origins = ['app.js', 'src/modules/a.ts', 'node_modules/express/lib/app.js', '../node_modules/@a/b/c.js', 'node:internal/crypto/pbkdf2', ''].map(file => originOf({ file }))
  assert.deepEqual(origins, ['app', 'app', 'dependency', 'dependency', 'node', 'node'])
})

test('a stack keeps the frames of the application, and folds what lies between them', () => {
  const files = ['', 'node:internal/crypto', 'auth.js', 'node_modules/router/layer.js', 'node_modules/express/app.js', 'node:_http_server']
  const pieces = foldStack(files.map(frame))
  assert.deepEqual(pieces.map(({ isOwn, frames }) => isOwn ? 'own' : describeFolded(frames)), ['2 frames of Node.js', 'own', '3 frames of router, express, Node.js'])
  assert.deepEqual(foldStack([]), [])
})

test('a package with a scope, and one within another, is named', () => {
  assert.equal(describeFolded([frame('node_modules/a/node_modules/@scope/b/c.js')]), '1 frame of @scope/b')
})

test('says what a culprit called', () => {
  assert.equal(calledBy({ call: 'pbkdf2Sync', via: null }), 'pbkdf2Sync')
  assert.equal(calledBy({ call: null, via: { package: 'lodash', function: 'cloneDeep' } }), 'lodash cloneDeep')
  assert.equal(calledBy({ call: 'JSON.parse', via: { package: 'a', function: 'b' } }), 'a b → JSON.parse')
  assert.equal(calledBy({ call: null, via: null }), '')
})
