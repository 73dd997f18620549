'use strict'

// Growth that is too fast to wait for a trend: sampling finds out whether what is allocated stays.

const assert = require('node:assert/strict')
const { availableParallelism } = require('node:os')
const test = require('node:test')
const { MemoryWatch } = require('../../lib/observer/memory/memory-watch')

const MB = 1e6
const SKIP = process.platform !== 'linux' && 'only Linux reports the resident memory'

/** @param {string} verdict */
const sitesWith = (verdict, { isArmed = false, toMs = Date.now() } = {}) => ({
  isArmed,
  fromMs: toMs - 60_000,
  toMs,
  sites: [{ kind: 'heap', thread: null, function: 'keep', file: 'app.js', line: 3, column: 1, caller: null, through: null, route: null, holder: 'Map', keptAt: null, verdict, bytes: 5e7, bytesPerMinute: 5e7, bytesPerRequest: null }]
})

/** A process whose old generation grows by 10 MB in ten seconds. @param {{ collectsEvery?: number, fromMb?: number, mbEach?: number }} [options]  reading with a full collection */
function growingProcess ({ collectsEvery = 1, fromMb = 20, mbEach = 10 } = {}) {
  let step = 0
  /** @type {{ owner: string }[][]} */
  const asked = []
  /** @type {{ current: object | null, goesOn?: (sites: any) => boolean }} */
  const sites = { current: null }
  const watch = new MemoryWatch(/** @type {any} */ ({
    state: {
      get notedMemory () { return { atMicros: 0, heapUsedBytes: 0, heapTotalBytes: 0, oldBytes: (fromMb + step * mbEach) * MB, externalBytes: 0, buffersBytes: 0, workers: 0 } },
      get notedCollection () {
        const count = Math.floor(step / collectsEvery)
        return { count, oldBytes: (fromMb + count * collectsEvery * mbEach) * MB, externalBytes: 0, buffersBytes: 0 }
      }
    },
    sites: {
      noteGrowing () {},
      noteGrowingFast: (/** @type {{ owner: string }[]} */ growing, goesOn) => {
        asked.push(growing)
        sites.goesOn = goesOn
      },
      current: () => sites.current
    },
    now: () => step * 10_000
  }))
  return {
    asked,
    sites,
    goesOn: () => sites.goesOn,
    owners: () => watch.state().growing.map(({ owner }) => owner),
    take () {
      step++
      watch.take()
    }
  }
}

test('it is reported when sampling has shown that it stays', { skip: SKIP }, () => {
  const { asked, sites, owners, take } = growingProcess()
  for (let at = 0; at < 6; at++) take()
  assert.deepEqual(asked.map(growing => [...new Set(growing.map(({ owner }) => owner))]), [[], [], [], [], ['heap'], ['heap']])
  assert.deepEqual(owners(), [], 'nothing has been sampled')
  sites.current = sitesWith('stays')
  assert.deepEqual(owners(), ['heap'])
  sites.current = { ...sitesWith('temporary'), heap: null }
  assert.deepEqual(owners(), [], 'not sampled, but not because it is large')
  for (const none of [sitesWith('temporary'), sitesWith('young'), sitesWith('stays', { isArmed: true }), sitesWith('stays', { toMs: Date.now() - 600_000 })]) {
    sites.current = none
    assert.deepEqual(owners(), [], JSON.stringify(none))
  }
})

test('it is sampled before full collections have shown it, which is needed for a report', { skip: SKIP }, () => {
  const { asked, sites, owners, take } = growingProcess({ collectsEvery: 100 })
  for (let at = 0; at < 6; at++) take()
  assert.deepEqual(asked.map(growing => growing.map(({ owner }) => owner)), [[], [], [], [], ['heap'], ['heap']])
  sites.current = sitesWith('stays')
  assert.deepEqual(owners(), [])
})

test('a large heap is not collected to find out: only what full collections have left counts', { skip: SKIP }, () => {
  const sampled = collectsEvery => {
    const { asked, take } = growingProcess({ collectsEvery, fromMb: 130 })
    for (let at = 0; at < 8; at++) take()
    return asked.flat().length > 0
  }
  assert.deepEqual([sampled(100), sampled(1)], [false, true])
})

test('more and more worker threads are reported without a trend, a pool of them is not', { skip: SKIP }, async () => {
  const grownBy = async (/** @type {number} */ perStep) => {
    let step = 0
    const watch = new MemoryWatch(/** @type {any} */ ({
      state: {
        get notedMemory () { return { atMicros: 0, heapUsedBytes: 0, heapTotalBytes: 0, oldBytes: 0, externalBytes: 0, buffersBytes: 0, workers: 1 } },
        notedCollection: null
      },
      main: { readOrLast: async () => ({ isStale: false, value: { workers: Array.from({ length: Math.ceil(step * perStep) }, (_, at) => ({ threadId: at, name: `worker ${at}`, usedBytes: 20 * MB / perStep, externalBytes: 0 })) } }) },
      blockedMs: () => 0,
      now: () => step * 10_000
    }))
    for (step = 1; step <= 8; step++) await watch.take()
    return watch.state().growing.map(({ owner, name }) => [owner, name])
  }
  const cpus = availableParallelism()
  assert.deepEqual(await grownBy(cpus), [['worker', null]])
  assert.deepEqual(await grownBy(cpus / 8), [])
})

test('a heap that is too large to be sampled is reported without it', { skip: SKIP }, () => {
  const { sites, owners, take } = growingProcess({ fromMb: 480, mbEach: 60 })
  for (let at = 0; at < 6; at++) take()
  assert.deepEqual(owners(), [])
  sites.current = { ...sitesWith('temporary'), heap: null, sites: [] }
  assert.deepEqual(owners(), ['heap'])
})

test('sampling goes on while what stays is not enough to be reported, and may be', { skip: SKIP }, () => {
  const { goesOn, take } = growingProcess({ mbEach: 1 })
  const [{ sites: [site] }] = [sitesWith('stays')]
  const mayStay = bytesPerMinute => goesOn()({ sites: [{ ...site, bytesPerMinute }] })
  for (let at = 0; at < 6; at++) take()
  assert.deepEqual([mayStay(5e6), mayStay(2e6)], [true, false])
  for (let at = 0; at < 6; at++) take()
  assert.equal(mayStay(5e6), false, 'it is enough')
})
