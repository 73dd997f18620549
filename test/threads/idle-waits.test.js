'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { withIdleWaits } = require('../../lib/observer/threads/idle-waits')

const SOURCE = { read: (file, line) => file === '/pool/worker.js' && line === 5 ? ['    Atomics.wait(shared, 0, seen)'] : ['run()'] }
const node = (id, functionName, rest = {}) => ({ id, callFrame: { functionName, scriptId: '1', url: 'file:///pool/worker.js', lineNumber: 0, columnNumber: 0 }, ...rest })
const profileOf = positionTicks => ({
  nodes: [node(1, '(root)', { children: [2, 3] }), node(2, 'loop', { positionTicks }), node(3, 'work', { positionTicks: [{ line: 9, ticks: 2 }] })],
  startTime: 0,
  endTime: 40,
  samples: [2, 2, 3, 3],
  timeDeltas: [10, 10, 10, 10]
})
const namesOf = ({ nodes, samples }) => samples.map(id => nodes.find(one => one.id === id).callFrame.functionName)

test('a thread that waits for work is idle', () => {
  assert.deepEqual(namesOf(withIdleWaits(profileOf([{ line: 5, ticks: 9 }, { line: 6, ticks: 1 }]), SOURCE)), ['(idle)', '(idle)', 'work', 'work'])
})

test('a function that waits now and then, or of which no line is known, is not', () => {
  for (const ticks of [[{ line: 5, ticks: 1 }, { line: 6, ticks: 1 }], []]) {
    const profile = profileOf(ticks)
    assert.equal(withIdleWaits(profile, SOURCE), profile)
  }
})
