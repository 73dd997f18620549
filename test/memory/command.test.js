'use strict'

const assert = require('node:assert/strict')
const test = require('node:test')
const { answered } = require('../cli/answered')

const ANSWER = {
  pid: 7,
  at: 1_795_328_643_405,
  rssBytes: 200e6,
  owners: [
    { owner: 'heap', name: null, bytes: 30e6, allocatedBytes: 30e6 },
    { owner: 'worker', name: 'res\nize', bytes: 20e6, allocatedBytes: 20e6 },
    { owner: 'buffers', name: null, bytes: 100e6, allocatedBytes: 120e6 },
    { owner: 'native', name: null, bytes: 50e6, allocatedBytes: null }
  ],
  unknownWorkers: 1,
  measuredAt: 1_795_328_640_000,
  isStale: true,
  growing: [{ owner: 'buffers', name: null, bytes: 100e6, bytesPerMinute: 12.5e6, grownBytes: 90e6, minutes: 8 }],
  container: { usedBytes: 450e6, limitBytes: 500e6, highBytes: null, processBytes: 400e6, reclaimed: 3, killed: 1, basis: 'memory.max of /sys/fs/cgroup' },
  recent: [],
  coarse: []
}

test('the largest owner is first, with what grows, and the container last', async t => {
  const { code, stdout, stderr } = await answered(t, ANSWER, 'memory')
  assert.equal(code, 0)
  const [head, , ...rows] = stdout.trimEnd().split('\n')
  assert.equal(head, '200.0 MB in memory')
  assert.match(rows[0], /^Buffers +100\.0 MB +50 % +120\.0 MB +12\.5 MB\/min$/)
  assert.deepEqual(rows.slice(1, 4).map(row => row.split(/ {2,}/)[0]).map(text => text.replace(/[^\w ,]/g, '')), ['native memory', 'JavaScript heap, in use', 'worker thread resize'])
  assert.equal(rows[4], 'container: 450.0 MB of 500.0 MB (90 %), 400.0 MB of that by processes, at a limit 3 times, 1 process killed; memory.max of /sys/fs/cgroup')
  assert.match(stderr, /the event loop is blocked: figures of the main thread are from /)
  assert.match(stderr, /1 worker thread whose heap cannot be read/)
})

test('the data is given as it is', async t => {
  assert.deepEqual(JSON.parse((await answered(t, ANSWER, 'memory', '--json')).stdout), ANSWER)
})
