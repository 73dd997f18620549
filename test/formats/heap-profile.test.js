'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { Session } = require('node:inspector')
const { HEAP_FORMATS } = require('../../lib/formats/formats')
const { diffHeapProfiles } = require('../../lib/formats/differences')
const { buildHeapTree, isHeapProfile } = require('../../lib/formats/profile/heap-tree')

const frame = functionName => ({ functionName, scriptId: '7', url: `file:///srv/app/${functionName}.js`, lineNumber: 4, columnNumber: 2 })
const node = (id, name, selfSize, ...children) => ({ id, callFrame: frame(name), selfSize, children })
const profile = (...children) => ({
  head: { id: 1, callFrame: { functionName: '(root)', scriptId: '0', url: '', lineNumber: -1, columnNumber: -1 }, selfSize: 0, children },
  samples: [{ size: 100, nodeId: 2, ordinal: 1 }, { size: 100, nodeId: 3, ordinal: 2 }]
})
const sampling = (now, before = null) => ({ profile: now, before, fromMs: 1e12, toMs: 1e12 + 2500, mode: 'live' })

const early = profile(node(2, 'serve', 1e6, node(3, 'parse', 5e5)))
const late = profile(node(2, 'serve', 1e6, node(3, 'parse', 5e6, node(4, 'serve', 2e6))), node(5, 'other', 1000))

test('a tree has the bytes of each function and of what it called', () => {
  const root = buildHeapTree(sampling(late), { appRoot: '/srv/app' })
  assert.equal(root.totalBytes, 8_001_000)
  const [serve, other] = root.children
  assert.deepEqual([serve.selfBytes, serve.totalBytes, serve.children[0].selfBytes], [1e6, 8e6, 5e6])
  assert.equal(serve.frame, serve.children[0].children[0].frame, 'one object a function')
  assert.deepEqual([other.frame.name, other.frame.file, other.frame.line], ['other', 'other.js', 5])
})

test('a stretch of time has what is new in it, and nothing below zero', () => {
  const root = buildHeapTree(sampling(late, early))
  assert.equal(root.totalBytes, 4.5e6 + 2e6 + 1000)
  assert.equal(buildHeapTree(sampling(early, late)).totalBytes, 0)
})

test('text names functions by what they allocated themselves, and the heaviest stacks', () => {
  const text = HEAP_FORMATS.text.encode(sampling(late), { appRoot: '/srv/app', title: 'of a test' }).toString()
  assert.match(text, /^of a test\n8\.0 MB still alive, allocated in 2\.5 s/)
  const rows = [...text.matchAll(/^ +([\d.]+) +([\d.]+)% +([\d.]+) {2}(\w+) /gm)].map(([, ...cells]) => cells)
  assert.deepEqual(rows, [['5.00', '62.5', '7.00', 'parse'], ['3.00', '37.5', '8.00', 'serve'], ['0.00', '0.0', '0.00', 'other']])
  assert.match(text, /5\.00 MB \(62\.5%\)\n {2}parse parse\.js:5\n {2}serve serve\.js:5/)
})

test('a flame graph carries bytes, as one page that needs nothing else', () => {
  const page = HEAP_FORMATS.flamegraph.encode(sampling(late), { title: '<b>& "co"' }).toString()
  const [, graph] = /<script type="application\/json" id="graph">(.*?)<\/script>/s.exec(page)
  const { unit, nodes } = JSON.parse(graph)
  assert.deepEqual([unit, nodes.reduce((sum, [, , selfBytes]) => sum + selfBytes, 0)], ['bytes', 8_001_000])
  assert.ok(page.includes('<title>&lt;b&gt;&amp; &quot;co&quot;</title>'))
})

test('a .heapprofile is what V8 itself writes, and is known as one', async t => {
  const session = new Session()
  session.connect()
  t.after(() => session.disconnect())
  const post = (method, params) => new Promise((resolve, reject) => session.post(method, params, (error, reply) => error ? reject(error) : resolve(reply)))
  await post('HeapProfiler.startSampling', { samplingInterval: 1024 })
  const kept = Array.from({ length: 10_000 }, (_, at) => ({ at }))
  const { profile } = await post('HeapProfiler.stopSampling')
  assert.deepEqual(JSON.parse(HEAP_FORMATS.heapprofile.encode(sampling(profile))), JSON.parse(JSON.stringify(profile)))
  assert.ok(isHeapProfile(profile) && kept.length > 0)
  for (const other of [null, {}, { head: {}, samples: [] }, { nodes: [] }, { head: { ...profile.head, children: [{}] }, samples: [] }]) assert.equal(isHeapProfile(other), false)
})

test('the difference of two shows what allocates more', () => {
  const { beforeBytes, afterBytes, rows } = diffHeapProfiles(early, late, { appRoot: '/srv/app' })
  assert.deepEqual([beforeBytes, afterBytes], [1.5e6, 8_001_000])
  assert.deepEqual(rows.map(({ name, place, selfChange, totalChange }) => [name, place, selfChange, totalChange]), [
    ['parse', 'parse.js:5', 4.5e6, 6.5e6], ['serve', 'serve.js:5', 2e6, 6.5e6], ['other', 'other.js:5', 1000, 1000]
  ])
  assert.deepEqual(diffHeapProfiles(late, late).rows, [])
})
