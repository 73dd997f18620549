'use strict'

// Small profiles of known times for the recorder's tests, and what has to hold for every profile.

const assert = require('node:assert/strict')
const { assertCpuProfile } = require('../../lib/formats/profile/assert-profile')
const { craft } = require('../fixtures/profiles/profiles')

/**
 * @param {[stack: string[], micros: number][]} samples  as for craft(); 'dep:' begins a frame of a dependency
 * @param {number} [startTime]
 */
function profileOf (samples, startTime = 1_000_000) {
  const profile = craft(samples)
  for (const { callFrame } of profile.nodes) {
    if (!callFrame.functionName.startsWith('dep:')) continue
    callFrame.functionName = callFrame.functionName.slice('dep:'.length)
    callFrame.url = 'file:///app/node_modules/express/lib/router.js'
  }
  return { ...profile, startTime, endTime: startTime + profile.endTime - profile.startTime }
}

/** One tree, every sample in it and in order of time, none after the end; the recorded time is exactly that of the profile. */
function assertValid (profile) {
  assertCpuProfile(profile)
  let at = profile.startTime
  for (const delta of profile.timeDeltas) {
    assert.ok(delta >= 0, `a delta of ${delta}`)
    at += delta
  }
  assert.ok(at <= profile.endTime, `samples to ${at}, the profile to ${profile.endTime}`)
}

/** @returns {Map<string, number>} time by stack of function names, outermost first; each gap counts for the sample that ends it */
function microsByStack ({ nodes, samples, timeDeltas }) {
  const stacks = new Map()
  const stackOf = new Map([[nodes[0].id, '']])
  const byId = new Map(nodes.map(node => [node.id, node]))
  const pending = [nodes[0]]
  for (const node of pending) {
    for (const id of node.children ?? []) {
      const child = byId.get(id)
      const { functionName, url, lineNumber } = child.callFrame
      stackOf.set(id, `${stackOf.get(node.id)}/${functionName}@${url}:${lineNumber}`)
      pending.push(child)
    }
  }
  samples.forEach((id, index) => {
    const stack = stackOf.get(id)
    stacks.set(stack, (stacks.get(stack) ?? 0) + timeDeltas[index])
  })
  for (const [stack, micros] of stacks) if (micros === 0) stacks.delete(stack)
  return stacks
}

/** mulberry32: random numbers that are the same in every run. */
function createRandom (seed) {
  let state = seed
  return () => {
    state = (state + 0x6D2B79F5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Any write to the profile throws from here on. */
function deepFreeze (value) {
  if (value !== null && typeof value === 'object') Object.values(Object.freeze(value)).forEach(deepFreeze)
  return value
}

module.exports = { profileOf, assertValid, microsByStack, createRandom, deepFreeze }
