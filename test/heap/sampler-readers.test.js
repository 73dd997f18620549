'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { HeapSampler } = require('../../lib/observer/heap/sampler')

const ROOT = { functionName: '(root)', scriptId: '0', url: '', lineNumber: -1, columnNumber: -1 }
const EMPTY = { head: { id: 1, callFrame: ROOT, selfSize: 0, children: [] }, samples: [] }

/** A sampler whose inspector only notes what it is asked. */
function createSubject (options = {}) {
  const asked = []
  const post = async (method, params) => {
    asked.push(method === 'HeapProfiler.startSampling' ? `start ${params.includeObjectsCollectedByMajorGC ? 'all' : 'live'}` : method.replace('HeapProfiler.', ''))
    return { profile: EMPTY }
  }
  const sampler = new HeapSampler({ post, firstSeconds: 0, ...options })
  return { sampler, asked, starts: () => asked.filter(one => one.startsWith('start ')) }
}

test('readers of one mode share the sampler', async () => {
  const { sampler, starts } = createSubject()
  await Promise.all([1, 2, 3].map(() => sampler.sample({ mode: 'live', seconds: 0.02 })))
  await sampler.sample({ mode: 'live', seconds: null })
  assert.deepEqual(starts(), ['start live'])
  await sampler.stop()
})

test('the other mode waits for the readers, and can be cancelled while it waits', async () => {
  const { sampler, starts } = createSubject()
  const stop = new AbortController()
  const reading = sampler.sample({ mode: 'live', seconds: 300 }, undefined, stop.signal)
  const cancelled = new AbortController()
  const waiting = sampler.sample({ mode: 'all', seconds: null }, cancelled.signal)
  const patient = sampler.sample({ mode: 'all', seconds: null })
  cancelled.abort(new Error('enough'))
  await assert.rejects(waiting, /enough/)
  assert.deepEqual(starts(), ['start live'])
  stop.abort()
  assert.equal((await reading).profile, EMPTY, 'what there is when it is stopped')
  await patient
  assert.deepEqual(starts(), ['start live', 'start all'])
  await sampler.stop()
})

test('callers that waited for a mode share it when it starts', async () => {
  const { sampler, starts } = createSubject()
  const stop = new AbortController()
  const first = sampler.sample({ mode: 'live', seconds: 0.02 })
  const long = sampler.sample({ mode: 'all', seconds: 300 }, undefined, stop.signal)
  const short = sampler.sample({ mode: 'all', seconds: 0.02 })
  await first
  await short
  stop.abort()
  await long
  assert.deepEqual(starts(), ['start live', 'start all'])
  await sampler.stop()
})

test('a reader that comes right after the first waits for the first samples too', async () => {
  const { sampler } = createSubject({ firstSeconds: 0.2 })
  const [, second] = await Promise.all([sampler.sample({ mode: 'live', seconds: null }), sampler.sample({ mode: 'live', seconds: null })])
  assert.ok(second.toMs - second.fromMs >= 190, `${second.toMs - second.fromMs}`)
  await sampler.stop()
})

test('the list of all that was allocated does not grow for ever: it ends when nobody reads it', async () => {
  const { sampler, asked } = createSubject({ maxAllMs: 30 })
  await sampler.sample({ mode: 'all', seconds: 0.1 })
  assert.ok(!asked.includes('stopSampling'), 'not under a reader')
  const started = Date.now()
  while (sampler.running) {
    assert.ok(Date.now() - started < 30_000, 'it still runs')
    await new Promise(resolve => setTimeout(resolve, 5))
  }
  assert.equal(asked.at(-1), 'stopSampling')
})

test('what is alive is sampled on, and a sampler that could not start is tried again', async () => {
  let fails = true
  const { sampler } = createSubject({ maxAllMs: 10 })
  await sampler.sample({ mode: 'live', seconds: 0.05 })
  await new Promise(resolve => setTimeout(resolve, 50))
  assert.equal(sampler.running, true)
  const broken = new HeapSampler({ post: async () => { if (fails) throw new Error('no inspector'); return { profile: EMPTY } }, firstSeconds: 0 })
  await assert.rejects(broken.sample({ mode: 'live', seconds: null }), /no inspector/)
  assert.equal(broken.running, false)
  fails = false
  assert.equal((await broken.sample({ mode: 'live', seconds: null })).profile, EMPTY)
})
