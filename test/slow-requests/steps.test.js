'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { describeStep } = require('../../lib/shared/requests/describe')
const { stepsOf } = require('../../lib/observer/slow-requests/steps')
const { timelinesOf } = require('../../lib/observer/slow-requests/timeline')

const ms = count => count * 1e3
const interval = (from, to) => ({ fromMicros: ms(from), toMicros: ms(to) })
const work = (start, route, from, to) => ({ startMicros: ms(start), route, ...interval(from, to) })
const line = (name, awaited = null) => ({ function: name, file: 'a.js', line: 3, column: 1, awaited, via: null, waits: 1, ms: 1, queuedMs: 0 })
const NAMES = [{ kind: 'redis', operation: 'GET', target: 'db:6379' }, { kind: 'http', operation: 'POST', target: 'api:80' }]

/** The steps of a request from 10 ms to 110 ms, as text. */
function steps (known, { lines = null, waits = [] } = {}) {
  const request = { route: 'GET /mine', startMicros: ms(10), ...interval(10, 110), waits }
  const { pieces } = timelinesOf([request], { work: [], seen: [], runs: [], late: [], answers: [], ...known }).get(request)
  return stepsOf(pieces, { fromMicros: ms(10), waits, nameOf: name => NAMES[name], lines }).map(step => `${step.atMs} ${describeStep(step)} ${step.ms}`)
}

test('its own code, that of others and the waits between are in order', () => {
  const known = { work: [work(10, 'GET /mine', 10, 20), work(5, 'POST /login', 50, 70)], runs: [{ route: null, isGc: true, ...interval(60, 65) }] }
  assert.deepEqual(steps(known), [
    '0 its own code 10', '10 waiting 30', '40 behind POST /login 10', '50 garbage collection 5', '55 behind POST /login 5', '60 waiting 40'
  ])
})

test('waits are divided by the lines of the code, with the call under way, and the rest by the calls', () => {
  const lines = [{ line: line('load', 'ioredis'), spans: [ms(10), ms(40)] }, { line: line('sleep'), spans: [ms(40), ms(60)] }]
  const waits = [[0, 1, 0, ms(25), ms(12), ms(37)], [1, 1, 0, ms(10), ms(80), ms(90)], [9, 1, 0, ms(5), ms(95), ms(100)]]
  assert.deepEqual(steps({}, { lines, waits }), [
    '0 waiting for redis GET db:6379 at load a.js:3 30', '30 waiting at sleep a.js:3 20', '50 waiting 20', '70 waiting for http POST api:80 10', '80 waiting 20'
  ])
  assert.deepEqual(steps({}, { lines }), ['0 waiting for ioredis at load a.js:3 30', '30 waiting at sleep a.js:3 20', '50 waiting 50'])
})

test('one wait with short moments in between is one step; of very many the longest are shown', () => {
  const short = Array.from({ length: 5 }, (_, index) => work(5, 'GET /other', 20 + index * 10, 20.2 + index * 10))
  assert.deepEqual(steps({ work: short }, { lines: [{ line: line('load'), spans: [ms(10), ms(110)] }] }).length, 6, 'other code in between is a break')
  const many = Array.from({ length: 80 }, (_, index) => ({ line: line(`f${index}`), spans: [ms(10 + index), ms(11 + index)] }))
  assert.equal(steps({}, { lines: many }).length, 40)
})
