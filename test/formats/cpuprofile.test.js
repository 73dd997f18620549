'use strict'

const assert = require('node:assert/strict')
const { test } = require('node:test')
const { FORMATS } = require('../../lib/formats/formats')
const { craft, readRecorded } = require('../fixtures/profiles/profiles')

for (const { name, profile } of readRecorded()) {
  test(`writes ${name} as V8 did, but for the hits, which add up to the samples`, () => {
    const encoded = JSON.parse(FORMATS.cpuprofile.encode(profile))
    assert.equal(encoded.nodes.reduce((sum, { hitCount }) => sum + hitCount, 0), profile.samples.length)
    const withoutHits = ({ nodes, ...rest }) => ({ ...rest, nodes: nodes.map(({ hitCount, ...node }) => node) })
    assert.deepEqual(withoutHits(encoded), withoutHits(profile))
  })
}

test('counts hits by the samples that are there', () => {
  const profile = craft([[['work'], 10], [['work'], 10], [['other'], 10]])
  for (const node of profile.nodes) node.hitCount = 500
  const { nodes } = JSON.parse(FORMATS.cpuprofile.encode(profile))
  assert.deepEqual(nodes.map(({ hitCount }) => hitCount), [0, 2, 1])
})

test('leaves out what is not part of a profile', () => {
  const encoded = JSON.parse(FORMATS.cpuprofile.encode({ ...craft([[['work'], 10]]), route: 'GET /secret' }))
  assert.deepEqual(Object.keys(encoded), ['nodes', 'startTime', 'endTime', 'samples', 'timeDeltas'])
})
