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

test('keeps the lines at which functions were at work: a report of the file shows the same lines as the process does, relative to any folder', () => {
  const profile = craft([[['/srv/shop/app.js:login', 'node:crypto:pbkdf2Sync'], 10e3]])
  const login = profile.nodes.find(({ callFrame }) => callFrame.functionName.endsWith('login'))
  Object.assign(login.callFrame, { functionName: 'login', url: 'file:///srv/shop/app.js', lineNumber: 22, columnNumber: 4 })
  const lines = [{ function: 'login', file: 'app.js', functionLine: 23, line: 26, column: 25 }, { function: 'login', file: 'app.js', functionLine: 23, line: 24, column: 5 }]
  const encoded = JSON.parse(FORMATS.cpuprofile.encode(profile, { appRoot: '/srv/shop', lines }))
  assert.deepEqual(encoded.workLines, [{ ...lines[0], file: '/srv/shop/app.js' }])
  assert.match(FORMATS.text.encode(encoded, { appRoot: '/srv' }).toString(), /login shop\/app\.js:26/)
  assert.match(FORMATS.text.encode(encoded).toString(), /login \/srv\/shop\/app\.js:26/)
  assert.deepEqual(JSON.parse(FORMATS.cpuprofile.encode(encoded)).workLines, encoded.workLines)
})
