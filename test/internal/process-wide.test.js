'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { hold, release } = require('../../lib/probe/process/process-wide')

const PATH = require.resolve('../../lib/probe/process/process-wide')

/** The module as another copy of the package would load it. */
function loadCopy () {
  const original = require.cache[PATH]
  delete require.cache[PATH]
  try {
    return require(PATH)
  } finally {
    require.cache[PATH] = original
  }
}

test('the first user creates it, all share it, the last to release it stops it', () => {
  const made = []
  const disposed = []
  const create = () => made[made.push({}) - 1]
  const first = hold('test.1', create)
  const second = hold('test.1', create)
  assert.deepEqual([first.isFirst, second.isFirst, made.length], [true, false, 1])
  assert.equal(first.value, second.value)
  release('test.1', value => disposed.push(value))
  assert.deepEqual(disposed, [])
  release('test.1', value => disposed.push(value))
  assert.deepEqual(disposed, made)
  release('test.1', () => assert.fail('there is nothing left to let go'))
})

test('after the last has let go it is made anew', () => {
  for (const round of [1, 2]) {
    assert.deepEqual(hold('test.2', () => round), { value: round, isFirst: true })
    release('test.2', value => assert.equal(value, round))
  }
})

test('two copies of the package share it', () => {
  const copy = loadCopy()
  assert.notEqual(copy.hold, hold)
  hold('test.3', () => 'ours')
  assert.deepEqual(copy.hold('test.3', () => 'theirs'), { value: 'ours', isFirst: false })
  const disposed = []
  release('test.3', value => disposed.push(value))
  copy.release('test.3', value => disposed.push(value))
  assert.deepEqual(disposed, ['ours'])
})

test('it leaves nothing that shows among the globals', () => {
  const before = Reflect.ownKeys(globalThis).length
  hold('test.4', () => 1)
  assert.deepEqual(Object.keys(globalThis).filter(key => key.includes('loopscope')), [])
  release('test.4', () => {})
  assert.equal(Reflect.ownKeys(globalThis).length, before)
})

test('a maker that throws leaves the place free', () => {
  assert.throws(() => hold('test.5', () => { throw new Error('no') }), /no/)
  assert.equal(hold('test.5', () => 1).isFirst, true)
  release('test.5', () => {})
})
