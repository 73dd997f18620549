'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { Session } = require('node:inspector')
const { OWN_FOLDER } = require('../../lib/base/own-files')
const { HeapSampler } = require('../../lib/observer/heap/sampler')
const { withoutOwnAllocations } = require('../../lib/observer/heap/own-allocations')

let lastId = 0
const node = (functionName, url, selfSize, ...children) => {
  const callFrame = { functionName, scriptId: url === '' ? '0' : '7', url, lineNumber: url === '' ? -1 : 3, columnNumber: url === '' ? -1 : 1 }
  return { id: ++lastId, callFrame, selfSize, children }
}
const own = (name, ...rest) => node(name, `${OWN_FOLDER}probe/x.js`, ...rest)
const app = (name, ...rest) => node(name, '/app/index.js', ...rest)

/** @returns {any} names with bytes, nested */
const shape = ({ callFrame, selfSize, children }) => [callFrame.functionName, selfSize, ...children.map(shape)]
const nodesOf = head => [head, ...head.children.flatMap(nodesOf)]
const bytesOf = head => nodesOf(head).reduce((sum, { selfSize }) => sum + selfSize, 0)
const samplesOf = head => nodesOf(head).filter(({ selfSize }) => selfSize > 0).map(({ id, selfSize }) => ({ nodeId: id, size: selfSize, ordinal: id }))

test('what loopscope allocated between two functions of the application is charged to the outer one', () => {
  const head = node('(root)', '', 0, app('handle', 10, own('middleware', 20, app('render', 40))))
  const { head: clean } = withoutOwnAllocations({ head, samples: samplesOf(head) })
  assert.deepEqual(shape(clean), ['(root)', 0, ['handle', 30, ['render', 40]]])
})

test('what loopscope allocated outside the application goes to (program)', () => {
  const head = node('(root)', '', 5, own('tick', 20, own('report', 30)), app('handle', 1))
  const { head: clean } = withoutOwnAllocations({ head, samples: samplesOf(head) })
  assert.deepEqual(shape(clean).slice(2).sort(), [['(program)', 50], ['handle', 1]])
})

test('calls of one function that come to stand below the same caller are one, with the samples of both', () => {
  const head = node('(root)', '', 0, app('handle', 0, own('wrapper', 0, app('render', 40, app('part', 1))), app('render', 2, app('part', 3))))
  const { head: clean, samples } = withoutOwnAllocations({ head, samples: samplesOf(head) })
  assert.deepEqual(shape(clean), ['(root)', 0, ['handle', 0, ['render', 42, ['part', 4]]]])
  const [render, part] = ['render', 'part'].map(name => nodesOf(clean).find(({ callFrame }) => callFrame.functionName === name).id)
  const nodeBySize = Object.fromEntries(samples.map(({ nodeId, size }) => [size, nodeId]))
  assert.deepEqual(nodeBySize, { 1: part, 2: render, 3: part, 40: render })
})

test('a profile of V8 keeps its bytes, and shows no function of loopscope', async t => {
  const session = new Session()
  session.connect()
  const post = (method, params) => new Promise((resolve, reject) => session.post(method, params, (error, reply) => error ? reject(error) : resolve(reply)))
  let raw
  const sampler = new HeapSampler({
    post: async (method, params) => {
      const reply = await post(method, params)
      if (method === 'HeapProfiler.getSamplingProfile') raw = reply.profile
      return reply
    },
    intervalBytes: 1024,
    firstSeconds: 0.05
  })
  t.after(async () => {
    await sampler.stop()
    session.disconnect()
  })
  await sampler.sample({ mode: 'all', seconds: null })
  const { describeFrame } = require('../../lib/formats/profile/frame')
  for (let line = 0; line < 5000; line++) describeFrame({ functionName: 'one', scriptId: '1', url: `file:///app/${line}.js`, lineNumber: line, columnNumber: 1 })
  const { profile } = await sampler.sample({ mode: 'all', seconds: null })
  const urls = head => nodesOf(head).map(({ callFrame }) => callFrame.url)
  assert.ok(urls(raw.head).some(url => url.includes(OWN_FOLDER)), 'V8 saw a function of ours allocate')
  assert.deepEqual(urls(profile.head).filter(url => url.includes(OWN_FOLDER)), [])
  assert.equal(bytesOf(profile.head), bytesOf(raw.head))
})
