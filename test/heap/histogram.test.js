'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { Session } = require('node:inspector')
const { Histograms } = require('../../lib/observer/heap/histogram')
const { HISTOGRAM_FORMATS } = require('../../lib/formats/formats')
const { diffHistograms, isHistogram } = require('../../lib/formats/differences')

/** Of this very process. */
function createSubject (t) {
  const session = new Session()
  session.connect()
  const asked = []
  const post = (method, params) => new Promise((resolve, reject) => {
    asked.push(method)
    session.post(method, params, (error, reply) => error ? reject(error) : resolve(reply))
  })
  t.after(() => session.disconnect())
  return { histograms: new Histograms({ post, pausedMs: () => performance.now() }), asked }
}

class Invoice {}
const countOf = ({ classes }, name) => classes.find(one => one.name === name)?.count ?? 0

test('counts the objects of a constructor exactly, and the difference of two', async t => {
  const { histograms } = createSubject(t)
  const kept = Array.from({ length: 1000 }, () => new Invoice())
  const before = await histograms.take()
  kept.push(...Array.from({ length: 500 }, () => new Invoice()))
  const after = await histograms.take()
  assert.deepEqual([countOf(before, 'Invoice'), countOf(after, 'Invoice')], [1000, 1500])
  assert.deepEqual(diffHistograms(before, after).rows.find(({ name }) => name === 'Invoice'), { name: 'Invoice', before: 1000, after: 1500, change: 500 })
  assert.equal(after.total, after.classes.reduce((sum, { count }) => sum + count, 0))
  assert.ok(isHistogram(JSON.parse(HISTOGRAM_FORMATS.json.encode(after))) && after.pauseMs >= 0 && after.heapUsedBytes > 1e6)
  assert.equal(kept.length, 1500)
})

test('keeps nothing alive: its handles are released, also when counting fails', async t => {
  const { histograms, asked } = createSubject(t)
  const holder = { kept: [new Invoice()] }
  await histograms.take()
  holder.kept = null
  assert.equal(countOf(await histograms.take(), 'Invoice'), 0)
  assert.equal(asked.filter(method => method === 'Runtime.releaseObjectGroup').length, 2)
  const failing = new Histograms({
    pausedMs: () => 0,
    post: async method => {
      asked.push(method)
      if (method === 'Runtime.callFunctionOn') throw new Error('gone')
      return { result: { objectId: '1' }, objects: { objectId: '2' } }
    }
  })
  await assert.rejects(failing.take(), /gone/)
  assert.equal(asked.at(-1), 'Runtime.releaseObjectGroup')
})

test('runs no code of the application and bears its oddest constructors', async t => {
  const { histograms } = createSubject(t)
  let ran = 0
  const trap = () => { ran++; throw new Error('must not run') }
  const getter = Object.create(Object.defineProperty({}, 'constructor', { get: trap }))
  const named = Object.create({ constructor: Object.defineProperty(function () {}, 'name', { get: trap }) })
  const proxy = new Proxy(class Proxied {}, { get: trap, getOwnPropertyDescriptor: trap, getPrototypeOf: trap })
  const proxied = Object.create({ constructor: proxy })
  const below = Object.create(proxy)
  assert.throws(() => Object.create({ constructor: proxy }).constructor.name, /must not run/)
  ran = 0
  const long = new (Object.defineProperty(class {}, 'name', { value: 'x'.repeat(5000) }))()
  const many = Array.from({ length: 6000 }, (_, at) => new (Object.defineProperty(class {}, 'name', { value: `Class${at}` }))())
  const taken = await histograms.take()
  assert.equal(ran, 0)
  assert.ok(countOf(taken, '(no constructor)') >= 3 && countOf(taken, '_other') > 0)
  assert.ok(taken.classes.length <= 5001 && taken.classes.every(({ name }) => name.length <= 200))
  assert.equal(taken.total, taken.classes.reduce((sum, { count }) => sum + count, 0))
  assert.ok(getter && named && proxied && below && long && many)
})

test('the text states what it cost, and what it does not see', async t => {
  const { histograms } = createSubject(t)
  const text = HISTOGRAM_FORMATS.text.encode(await histograms.take(), { title: 'of a test' }).toString()
  assert.match(text, /^of a test\n.* objects, heap \d+\.\d MB, the process stood still for \d+ ms\nCounts only: no sizes/)
  assert.match(text, / +\d+ {2}Function\n/)
})
