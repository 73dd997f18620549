'use strict'

// A problem that is there again after a mark.

const assert = require('node:assert/strict')
const { it } = require('node:test')
const { againSince } = require('../../lib/observer/findings/findings')
const { predictionText } = require('../../lib/shared/findings/details')

const where = { function: 'login', file: 'app.js', line: 5 }
const stall = (at, culprit = where) => ({ at, durationMs: 100, culprit })
const marks = [{ at: 500, text: 'earlier' }, { at: 1000, text: 'deploy 42' }]
const current = { where, over: null }

it('is again there where the same function stalled the loop before and after the last mark', () => {
  const stalls = [stall(2000), stall(1500), stall(700), stall(300), stall(1200, { ...where, function: 'other' }), stall(1100, null)]
  assert.deepEqual(againSince(current, stalls, marks), { mark: 'deploy 42', markedAt: 1000, lastBefore: 700, firstAfter: 1500 })
})

it('is not, if it is new, has gone, is over, or nothing was marked', () => {
  assert.equal(againSince(current, [stall(1500)], marks), null)
  assert.equal(againSince(current, [stall(300)], marks), null)
  assert.equal(againSince(current, [stall(950)], marks), null) // it lasted beyond the mark
  assert.equal(againSince({ ...current, over: { from: 1, to: 2 } }, [stall(300), stall(1500)], marks), null)
  assert.equal(againSince({ where: null, over: null }, [stall(300), stall(1500)], marks), null)
  assert.equal(againSince(current, [stall(300), stall(1500)], []), null)
})

it('has one sentence about what a change would do', () => {
  const quantile = (now, low, expected, high) => ({ now, low, expected, high })
  const row = (route, requests, p95Ms) => ({ route, requests, reason: null, p50Ms: p95Ms, p95Ms })
  const prediction = { change: 'removed', reason: null, maxSpeedUp: 1.8, routes: [row('GET /fast', 100, quantile(410, 24, 32, 41)), row('GET /same', 100, quantile(10, 7, 10, 13))] }
  assert.equal(predictionText(prediction), 'without it, p95 of GET /fast would be about 32 ms (24 to 41) instead of 410; requests a second at most 1.8 times')
  assert.match(predictionText({ ...prediction, maxSpeedUp: 1, routes: [] }), /^without it, no route would differ/)
  const of = (...figures) => predictionText({ ...prediction, maxSpeedUp: 1, routes: [row('GET /fast', 100, quantile(...figures))] })
  assert.match(of(410, 100, 150, 460), /about 150 ms \(100 to 460\) instead of 410$/, 'a range that does not exclude the figure of now is shown for what it is')
  assert.match(of(410, 280, 370, 460), /no route would differ/)
  assert.equal(predictionText({ ...prediction, reason: 'why not' }), 'no prediction: why not')
  assert.equal(predictionText(null), '')
  assert.equal(predictionText(undefined), '')
})
