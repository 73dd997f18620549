'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { groupStalls, stallsOf } = require('../../lib/browser/figures/stall-groups')

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

test('without a culprit the cause tells stalls apart', () => {
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
