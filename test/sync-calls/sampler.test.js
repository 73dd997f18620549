'use strict'

// The estimator against known patterns of calls; the random numbers are seeded, so a result is always the same.

const test = require('node:test')
const assert = require('node:assert/strict')
const { Sampler } = require('../../lib/probe/sync-calls/meters')
const { createRandom } = require('../recorder/crafted')

/** @param {(call: number) => { site: string, ms: number }} pattern */
function estimate (pattern, { seconds, callsPerSecond, seed = 1 }) {
  const sampler = new Sampler({ thresholdMs: 1, random: createRandom(seed) })
  const sites = {}
  let samples = 0
  for (let call = 0; call < seconds * callsPerSecond; call++) {
    if (call % callsPerSecond === 0) sampler.roll()
    const { site, ms } = pattern(call)
    const entry = sites[site] ??= { calls: 0, ms: 0, estimatedCalls: 0, estimatedMs: 0 }
    const weight = sampler.weigh(ms)
    entry.calls++
    entry.ms += ms
    entry.estimatedCalls += weight
    entry.estimatedMs += weight * ms
    if (weight > 0) samples++
  }
  return { sites, samples }
}

function assertNear (actual, expected, share, what) {
  assert.ok(Math.abs(actual - expected) <= share * expected, `${what}: estimated ${actual}, is ${expected}`)
}

test('an API that is called seldom is counted exactly', () => {
  const { sites, samples } = estimate(call => ({ site: `site ${call % 3}`, ms: 0.01 }), { seconds: 5, callsPerSecond: 90 })
  assert.equal(samples, 450)
  for (const { calls, estimatedCalls, ms, estimatedMs } of Object.values(sites)) {
    assert.equal(estimatedCalls, calls)
    assert.ok(Math.abs(estimatedMs - ms) < 1e-9)
  }
})

test('sites that take turns, and sites that come in bursts, get their share', () => {
  const patterns = {
    turns: call => ({ site: call % 2 === 0 ? 'even' : 'odd', ms: 0.001 }),
    bursts: call => ({ site: Math.floor(call / 700) % 4 === 0 ? 'rare' : 'common', ms: 0.001 })
  }
  for (const [name, pattern] of Object.entries(patterns)) {
    const { sites, samples } = estimate(pattern, { seconds: 30, callsPerSecond: 20_000 })
    assert.ok(samples < 30 * 400, `${samples} stacks`)
    for (const [site, { calls, estimatedCalls }] of Object.entries(sites)) assertNear(estimatedCalls, calls, 0.1, `${name}, ${site}`)
  }
})

test('the time of a few long calls among many short ones is neither lost nor multiplied', () => {
  const pattern = call => call % 1000 === 0 ? { site: 'long', ms: 0.8 } : { site: 'short', ms: 0.001 }
  const { sites } = estimate(pattern, { seconds: 30, callsPerSecond: 20_000 })
  assertNear(sites.long.estimatedMs, sites.long.ms, 0.15, 'long')
  assertNear(sites.short.estimatedMs, sites.short.ms, 0.15, 'short')
})

test('an API that fills all the time has a stack read for every eighth threshold of it, and its sites come out right', () => {
  const pattern = call => ({ site: call % 3 === 0 ? 'third' : 'other', ms: 0.05 })
  const { sites, samples } = estimate(pattern, { seconds: 30, callsPerSecond: 20_000 })
  assert.ok(samples > 30 * 125 && samples < 30 * 250, `${samples} stacks`)
  for (const { ms, estimatedMs } of Object.values(sites)) assertNear(estimatedMs, ms, 0.05, 'time')
})

test('calls from the threshold on are counted exactly however many others there are', () => {
  const pattern = call => call % 5000 === 0 ? { site: 'slow', ms: 1.5 } : { site: 'fast', ms: 0.001 }
  const { sites } = estimate(pattern, { seconds: 10, callsPerSecond: 50_000 })
  assert.equal(sites.slow.estimatedCalls, sites.slow.calls)
  assert.equal(sites.slow.estimatedMs, sites.slow.ms)
})

test('counted calls are drawn at random gaps that come out right on average', () => {
  const sampler = new Sampler({ thresholdMs: 1, random: createRandom(7) })
  const counts = { even: 0, odd: 0 }
  const calls = 2_000_000
  let samples = 0
  for (let call = sampler.gap(); call <= calls; call += sampler.gap()) {
    samples++
    counts[call % 2 === 0 ? 'even' : 'odd'] += sampler.weighCounted()
    if (call % 200_000 < 100) sampler.roll()
  }
  assert.ok(samples < 20_000, `${samples} stacks`)
  assertNear(counts.even + counts.odd, calls, 0.2, 'all')
  assertNear(counts.even, counts.odd, 0.25, 'even')
})

test('in one second that never ends the number of stacks stays small', () => {
  const { samples } = estimate(() => ({ site: 'busy', ms: 0.000_1 }), { seconds: 1, callsPerSecond: 3_000_000 })
  assert.ok(samples < 2500, `${samples} stacks`)
})
