'use strict'

const assert = require('node:assert/strict')
const { execFile } = require('node:child_process')
const test = require('node:test')
const { promisify } = require('node:util')

// Each round makes garbage for many short collections, and a full one.
const CHILD = `
const { PerformanceObserver } = require('node:perf_hooks')
const { setTimeout: sleep } = require('node:timers/promises')
const { Collections } = require(process.argv[1])
let seen = 0
const counted = { full: 0, short: 0 }
new PerformanceObserver(list => list.getEntries().forEach(({ detail }) => counted[detail.kind === 4 ? 'full' : 'short']++)).observe({ entryTypes: ['gc'] })
const collections = new Collections()
collections.listeners.add(type => { if (type === 'major') seen++ })
collections.start()
collections.start()
async function main () {
  for (let round = 0; round < 8; round++) {
    for (let at = 0; at < 40; at++) {
      Array.from({ length: 50_000 }, (_, at) => ({ at }))
      await sleep(1)
    }
    const before = seen
    gc()
    for (let at = 0; at < 500 && seen === before; at++) await sleep(1)
  }
  const whileOn = seen
  collections.stop()
  gc()
  await sleep(20)
  console.log(JSON.stringify({ seen, whileOn, ...counted }))
}
main()
`

test('full collections are noticed, short ones are not, and nothing is after the stop', async () => {
  const file = require.resolve('../../lib/probe/heap/collections')
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', '--max-semi-space-size=2', '-e', CHILD, file])
  const { seen, whileOn, full, short } = JSON.parse(stdout)
  assert.ok(short > 30, stdout)
  assert.ok(whileOn >= 7 && whileOn <= full, stdout)
  assert.equal(seen, whileOn)
})
