'use strict'

// The kept totals of a group, written by several processes at once.

const test = require('node:test')
const assert = require('node:assert/strict')
const { fork } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const path = require('node:path')
const { createMetricsState } = require('../../lib/observer/group/metrics-state')
const { addReports, countedOf } = require('../../lib/observer/group/totals')
const { sumMetrics } = require('../../lib/observer/group/sum-metrics')
const { makeShortScratch } = require('../store/scratch')

const WRITER = path.join(__dirname, '..', 'fixtures', 'group', 'state-writer.js')

function makeFolder (t) {
  const folder = makeShortScratch(t)
  return path.join(folder, 'user', 'control')
}

const reading = (memberId, value) => ({
  memberId, openedAtMs: 0, readAtMs: value, contentType: '', metrics: [{ name: 'c', help: '', type: 'counter', aggregator: 'sum', values: [{ labels: {}, value }] }]
})
const add = (...readings) => totals => addReports(totals, { readings, isThere: () => true })
const counted = totals => sumMetrics(countedOf(totals))[0].values[0].value

test('what is kept is private, read by all, bounded, and gone when it is removed', t => {
  const controlDir = makeFolder(t)
  const one = createMetricsState({ controlDir, group: 'shop' })
  const other = createMetricsState({ controlDir, group: 'shop' })
  assert.equal(one.read(), null)
  for (let value = 1; value <= 20; value++) assert.equal(counted((value % 2 ? one : other).update(add(reading('a', value)))), value)
  assert.equal(counted(other.read()), 20)
  assert.equal(createMetricsState({ controlDir, group: 'other' }).read(), null)
  const [folder] = fs.readdirSync(controlDir)
  const files = fs.readdirSync(path.join(controlDir, folder)).map(name => path.join(controlDir, folder, name))
  assert.ok(files.length <= 3, files.join())
  assert.deepEqual([...new Set(files.map(file => fs.statSync(file).mode & 0o777))], [0o600])
  one.remove()
  assert.equal(other.read(), null)
})

test('a file that a crash of the system spoilt is not counted, and written anew', t => {
  const controlDir = makeFolder(t)
  const state = createMetricsState({ controlDir, group: 'shop' })
  state.update(add(reading('a', 1)))
  const [folder] = fs.readdirSync(controlDir)
  fs.writeFileSync(path.join(controlDir, folder, '2.json'), '')
  assert.equal(state.read(), null)
  assert.equal(counted(state.update(add(reading('a', 3)))), 3)
})

test('of processes that write at once none takes from another, and nobody sees a counter fall', async t => {
  const controlDir = makeFolder(t)
  const writers = Array.from({ length: 3 }, (_, at) => fork(WRITER, [controlDir, `writer${at}`, '40'], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] }))
  for (const writer of writers) t.after(() => writer.kill('SIGKILL'))
  const ends = await Promise.all(writers.map(writer => once(writer, 'exit')))
  assert.deepEqual(ends.map(([code]) => code), [0, 0, 0])
  assert.equal(counted(createMetricsState({ controlDir, group: 'shop' }).read()), 120)
})
