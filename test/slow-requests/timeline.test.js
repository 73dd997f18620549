'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { timelinesOf } = require('../../lib/observer/slow-requests/timeline')

const ms = count => count * 1e3

const interval = (from, to) => ({ fromMicros: ms(from), toMicros: ms(to) })
const work = (start, route, from, to) => ({ startMicros: ms(start), route, ...interval(from, to) })
const run = (route, from, to, isGc = false) => ({ route, isGc, ...interval(from, to) })
const seen = (start, route, at) => work(start, route, at, at)
const answer = (start, route, to) => ({ startMicros: ms(start), route, toMicros: ms(to) })

const request = (from, to, { start = from, route = 'GET /mine' } = {}) => ({ route, startMicros: ms(start), ...interval(from, to), waits: [] })
const timelineOf = (subject, known) => timelinesOf([subject], { work: [], seen: [], runs: [], late: [], answers: [], ...known }).get(subject)
const timeline = (subject, known) => {
  const { waits, pieces, ...rest } = timelineOf(subject, known)
  assert.deepEqual(waits, [])
  return rest
}
const waits = (subject, known, ...given) => timelineOf({ ...subject, waits: given }, known).waits

test('what nobody claims was waiting', () => {
  assert.deepEqual(timeline(request(0, 100), {}), { ownMs: 0, behindMs: 0, behind: [], gcMs: 0, waitingMs: 100 })
})

test('what the loop does for others while a call is under way delays a request only where it goes on, without a pause, until the answer is read', () => {
  const known = { work: [work(10, 'GET /other', 10, 40), work(11, 'GET /other', 60, 70), work(12, 'GET /last', 70.5, 89)] }
  const call = { ...request(0, 100), waits: [[7, 1, 0, ms(85), ms(5), ms(90)]] }
  const { behind, waitingMs, waits: [{ ms: waited }] } = timelineOf(call, known)
  assert.deepEqual([behind, waitingMs, waited], [[{ route: 'GET /last', ms: 18.5 }, { route: 'GET /other', ms: 10 }], 71.5, 56.5])
  const unknown = timelineOf(request(0, 100), known)
  assert.deepEqual([unknown.behindMs, unknown.waitingMs], [58.5, 41.5], 'without a call it is not known')
  const open = timelineOf({ ...request(0, 100), waits: [[7, 1, 0, ms(95), ms(5), ms(100)]] }, known)
  assert.equal(open.behindMs, 58.5, 'it may not wait for a call that outlasts it')
})

test('it waited for a call while nobody else had the loop, once where several were under way', () => {
  const known = { work: [work(0, 'GET /mine', 0, 20), work(10, 'GET /other', 50, 94.5)] }
  assert.deepEqual(waits(request(0, 100), known, [7, 2, 1, ms(65), ms(10), ms(40), ms(60), ms(95)], [8, 1, 0, ms(5), ms(95), ms(100)]), [
    { name: 7, calls: 2, errors: 1, ms: 20.5 },
    { name: 8, calls: 1, errors: 0, ms: 5 }
  ])
})

test('of many calls the first stand for all', () => {
  const known = { work: [work(10, 'GET /other', 15, 20)] }
  assert.deepEqual(waits(request(0, 100), known, [7, 900, 0, ms(80), ms(0), ms(20)]), [{ name: 7, calls: 900, errors: 0, ms: 60 }])
  assert.deepEqual(waits(request(0, 100), known, [7, 1, 0, 0]), [{ name: 7, calls: 1, errors: 0, ms: 0 }])
})

test('its own code and that of others are distinguished, also of the same route; others are listed longest first', () => {
  const known = { work: [work(-5, 'GET /mine', -5, 20), work(0, 'GET /mine', 20, 50), work(10, 'GET /other', 50, 90)] }
  assert.deepEqual(timeline(request(0, 100), known), {
    ownMs: 30,
    behindMs: 60,
    behind: [{ route: 'GET /other', ms: 40 }, { route: 'GET /mine', ms: 20 }],
    gcMs: 0,
    waitingMs: 10
  })
})

test('collections come first, then what was seen to run, then samples, then a loop that was late', () => {
  const known = {
    work: [work(0, 'GET /mine', 0, 40)],
    runs: [run(null, 10, 20, true), run('GET /other', 30, 60)],
    late: [interval(20, 80)]
  }
  assert.deepEqual(timeline(request(0, 100), known), {
    ownMs: 30,
    behindMs: 40,
    behind: [{ route: 'GET /other', ms: 20 }, { route: null, ms: 20 }],
    gcMs: 10,
    waitingMs: 20
  })
})

test('samples of its own route belong to the request of that route that was answered next', () => {
  const known = { runs: [run('GET /mine', 0, 90)], answers: [answer(-1, 'GET /mine', 30), answer(1, 'GET /mine', 60), answer(2, 'GET /other', 80), answer(0, 'GET /mine', 100)] }
  const { ownMs, behind } = timeline(request(0, 100), known)
  assert.deepEqual([ownMs, behind], [30, [{ route: 'GET /mine', ms: 60 }]])
})

test('a request seen at work gets the samples around it, whatever their label, from the last answer to its own', () => {
  const known = { runs: [run('GET /wrong', 0, 80), run('GET /other', 80, 90)], seen: [seen(-1, 'GET /seen', 30)], answers: [answer(-2, 'GET /before', 10), answer(-1, 'GET /seen', 50)] }
  const { ownMs, behind, waitingMs } = timeline(request(0, 100), known)
  assert.deepEqual([ownMs, behind, waitingMs], [0, [{ route: 'GET /seen', ms: 40 }, { route: 'GET /wrong', ms: 40 }, { route: 'GET /other', ms: 10 }], 10])
})

test('without samples it has the time in which the loop was late; of two each has its half', () => {
  const known = { late: [interval(10, 90)], seen: [seen(0, 'GET /mine', 30), seen(-1, 'GET /other', 50)] }
  const { ownMs, behind } = timeline(request(0, 100), known)
  assert.deepEqual([ownMs, behind], [30, [{ route: 'GET /other', ms: 50 }]])
  assert.equal(timeline(request(0, 100), { seen: [seen(0, 'GET /mine', 30)] }).waitingMs, 100, 'a moment is no time')
})

test('the parts are the whole, whatever overlaps', () => {
  let seed = 7
  const random = most => { seed = seed * 16807 % 2147483647; return seed % most }
  for (let round = 0; round < 200; round++) {
    const some = make => Array.from({ length: 8 }, () => { const from = random(120) - 10; return make(from, from + random(40)) }).sort((left, right) => left.fromMicros - right.fromMicros)
    const known = {
      work: some((from, to) => work(random(3), `GET /${random(3)}`, from, to)),
      runs: some((from, to) => run([null, 'GET /mine', 'GET /1'][random(3)], from, to, random(3) === 0)),
      late: some(interval),
      seen: some((from) => seen(random(3), `GET /${random(3)}`, from)),
      answers: [answer(9, 'GET /mine', random(100))]
    }
    const called = random(60)
    const { ownMs, behindMs, behind, gcMs, waitingMs } = timelineOf({ ...request(0, 100), waits: [[7, 1, 0, ms(30), ms(called), ms(called + 30)]] }, known)
    assert.ok(Math.abs(ownMs + behindMs + gcMs + waitingMs - 100) < 0.5, JSON.stringify(known))
    assert.ok(Math.abs(behind.reduce((sum, one) => sum + one.ms, 0) - behindMs) < 0.5)
  }
})

test('behind many routes the longest are named', () => {
  const known = { work: Array.from({ length: 30 }, (_, index) => work(index, `GET /${index}`, index, index + 1)) }
  const { behind, behindMs } = timeline(request(0, 30, { start: 40 }), known)
  assert.deepEqual([behind.length, behind.at(-1), behindMs], [11, { route: '_other', ms: 20 }, 30])
})
