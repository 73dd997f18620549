'use strict'

const assert = require('node:assert/strict')
const { test } = require('node:test')
const { buildCallTree } = require('../../lib/formats/profile/call-tree')
const { craft, readRecorded } = require('../fixtures/profiles/profiles')

function find (root, name) {
  const waiting = [root]
  for (const tree of waiting) {
    if (tree.frame.name === name) return tree
    waiting.push(...tree.children)
  }
}

test('weighs by time and not by number of samples', () => {
  const root = buildCallTree(craft([[['quick'], 10], [['quick'], 10], [['quick'], 10], [['slow'], 500_000]]))
  assert.equal(find(root, 'quick').selfMicros, 30)
  assert.equal(find(root, 'quick').selfSamples, 3)
  assert.equal(find(root, 'slow').selfMicros, 500_000)
})

test('gives a gap to the sample that ends it and the time after the last sample to the last', () => {
  const profile = craft([[['first'], 100], [['second'], 2000]])
  const root = buildCallTree({ ...profile, endTime: profile.endTime + 40 })
  assert.equal(find(root, 'first').selfMicros, 100)
  assert.equal(find(root, 'second').selfMicros, 2040)
  assert.equal(root.totalMicros, 2140)
})

test('counts no time twice when samples are out of order', () => {
  const profile = craft([[['early'], 300], [['late'], 300], [['between'], -100], [['last'], 200]])
  const root = buildCallTree(profile)
  assert.equal(root.totalMicros, profile.endTime - profile.startTime)
  assert.equal(find(root, 'between').selfMicros, 200)
  assert.equal(find(root, 'late').selfMicros, 100)
})

test('makes one of the nodes that are the same function under the same parent', () => {
  const profile = craft([[['outer', 'inner'], 10], [['outer'], 5]])
  const twin = { ...structuredClone(profile.nodes.find(node => node.callFrame.functionName === 'inner')), id: 99 }
  profile.nodes.find(node => node.callFrame.functionName === 'outer').children.push(99)
  const root = buildCallTree({ ...profile, nodes: [...profile.nodes, twin], samples: [...profile.samples, 99], timeDeltas: [...profile.timeDeltas, 7], endTime: profile.endTime + 7 })
  const outer = find(root, 'outer')
  assert.equal(outer.children.length, 1)
  assert.equal(outer.children[0].selfMicros, 17)
  assert.equal(outer.totalMicros, 22)
})

test('shares the time of a function among its lines by their ticks', () => {
  const profile = craft([[['work'], 100], [['work'], 300]])
  profile.nodes[1].positionTicks = [{ line: 12, ticks: 3 }, { line: 15, ticks: 1 }]
  assert.deepEqual([...find(buildCallTree(profile), 'work').lines], [[12, 300], [15, 100]])
})

test('takes no lines from native functions, whose ticks carry the line of the caller', () => {
  const profile = craft([[['work', 'native:read'], 100]])
  profile.nodes[2].positionTicks = [{ line: 12, ticks: 3 }]
  assert.equal(find(buildCallTree(profile), 'read').lines.size, 0)
})

test('walks a stack of fifty thousand frames', () => {
  const nodes = Array.from({ length: 50_000 }, (_, index) => ({
    id: index + 1,
    callFrame: { functionName: `f${index}`, scriptId: '1', url: 'file:///app/deep.js', lineNumber: index, columnNumber: 0 },
    children: index === 49_999 ? [] : [index + 2]
  }))
  const root = buildCallTree({ nodes, startTime: 0, endTime: 10, samples: [50_000], timeDeltas: [10] })
  assert.equal(root.totalMicros, 10)
  assert.equal(root.selfMicros, 0)
})

for (const { name, profile } of readRecorded()) {
  test(`spends exactly the time that ${name} covers, and sees its application`, () => {
    const root = buildCallTree(profile, { appRoot: '/app' })
    assert.equal(root.totalMicros, profile.endTime - profile.startTime)
    const login = find(root, 'login')
    assert.equal(login.frame.file, 'routes.js')
    assert.equal(login.children.find(child => child.frame.name === 'pbkdf2Sync').frame.origin, 'node')
  })
}
