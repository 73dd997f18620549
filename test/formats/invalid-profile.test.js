'use strict'

const assert = require('node:assert/strict')
const { test } = require('node:test')
const { FORMATS } = require('../../lib/formats/formats')
const { craft } = require('../fixtures/profiles/profiles')

function damaged (damage) {
  const profile = craft([[['outer', 'inner'], 10], [['outer', 'other'], 5]])
  damage(profile)
  return profile
}

const DAMAGED = {
  'is not an object': null,
  'has no nodes': damaged(profile => { delete profile.nodes }),
  'has an empty list of nodes': damaged(profile => { Object.assign(profile, { nodes: [], samples: [], timeDeltas: [] }) }),
  'has no samples': damaged(profile => { delete profile.samples }),
  'has no time deltas': damaged(profile => { delete profile.timeDeltas }),
  'has no end time': damaged(profile => { delete profile.endTime }),
  'has a node without a call frame': damaged(profile => { delete profile.nodes[1].callFrame }),
  'has ticks that are none': damaged(profile => { profile.nodes[1].positionTicks = [null] }),
  'has ticks without a line': damaged(profile => { profile.nodes[1].positionTicks = [{ line: 'x', ticks: 1 }] }),
  'has hits that are no number': damaged(profile => { profile.nodes[1].hitCount = '2' }),
  'has an id twice': damaged(profile => { profile.nodes[2].id = profile.nodes[3].id }),
  'has a child that is no node': damaged(profile => { profile.nodes[3].children = [77] }),
  'has a node with two parents': damaged(profile => { profile.nodes[2].children = [4] }),
  'has two roots': damaged(profile => { profile.nodes[1].children.pop() }),
  'has a cycle': damaged(profile => { profile.nodes[0].children = []; profile.nodes[3].children = [2] }),
  'has a node that is its own child': damaged(profile => { profile.nodes[0].children = [1, 2] }),
  'has a sample of an unknown node': damaged(profile => { profile.samples[0] = 77 }),
  'has more samples than times': damaged(profile => { profile.timeDeltas.pop() }),
  'has a time that is no number': damaged(profile => { profile.timeDeltas[0] = null }),
  'has routes that are none': damaged(profile => { profile.routes = null }),
  'has no names of routes': damaged(profile => { profile.routes = { samples: [0, 0] } }),
  'has a route without a name': damaged(profile => { profile.routes = { names: [7], samples: [0, 0] } }),
  'has a route twice': damaged(profile => { profile.routes = { names: ['GET /', 'GET /'], samples: [0, 1] } }),
  'has no routes of samples': damaged(profile => { profile.routes = { names: ['GET /'], samples: 'GET /' } }),
  'has fewer routes than samples': damaged(profile => { profile.routes = { names: ['GET /'], samples: [0] } }),
  'has a route that has no name': damaged(profile => { profile.routes = { names: ['GET /'], samples: [0, 1] } }),
  'has lines of functions that are none': damaged(profile => { profile.workLines = {} }),
  'has a line of a function without a place': damaged(profile => { profile.workLines = [{ function: 'inner', file: '/a.js', functionLine: 1, line: null, column: 1 }] }),
  'has half a route': damaged(profile => { profile.routes = { names: ['GET /', 'GET /a'], samples: [0, 0.5] } })
}

for (const [what, profile] of Object.entries(DAMAGED)) {
  test(`every format refuses a profile that ${what}`, () => {
    for (const { encode } of Object.values(FORMATS)) {
      assert.throws(() => encode(profile), { code: 'ERR_LOOPSCOPE_INVALID_PROFILE' })
    }
  })
}

test('says what was wanted and what came', () => {
  assert.throws(() => FORMATS.cpuprofile.encode(DAMAGED['has more samples than times']), {
    message: 'profile.timeDeltas is not a V8 CPU profile: expected one for each of 2 samples, got 1'
  })
})
