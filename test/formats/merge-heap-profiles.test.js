'use strict'

// A merged heap profile is the sum of its parts, stack by stack.

const assert = require('node:assert/strict')
const { test } = require('node:test')
const { gunzipSync } = require('node:zlib')
const fc = require('fast-check')
const { Profile } = require('pprof-format')
const { HEAP_FORMATS } = require('../../lib/formats/formats')
const { buildHeapTree, bytesByProcess } = require('../../lib/formats/profile/heap-tree')
const { HeapMerging } = require('../../lib/formats/merge-profiles')

function createNode (name, scriptId, id) {
  const isNative = name.startsWith('(')
  const callFrame = { functionName: name, scriptId: isNative ? '0' : scriptId, url: isNative ? '' : `file:///app/${name}.js`, lineNumber: 1, columnNumber: 2 }
  return { callFrame, selfSize: 0, id, children: [] }
}

/** Of one process: its stacks, outermost function first, each with what it allocated. */
function craftHeap (stacks, scriptId) {
  let ids = 1
  const head = createNode('(root)', '0', ids)
  const samples = []
  for (const [names, bytes] of stacks) {
    let at = head
    for (const name of names) {
      const known = at.children.find(({ callFrame }) => callFrame.functionName === name)
      at = known ?? at.children[at.children.push(createNode(name, scriptId, ++ids)) - 1]
    }
    at.selfSize += bytes
    samples.push({ nodeId: at.id, size: bytes, ordinal: samples.length + 1 })
  }
  return { head, samples }
}

function merge (profiles) {
  const merging = new HeapMerging()
  for (const [index, profile] of profiles.entries()) merging.add({ process: String(1000 + index), profile })
  return merging.result()
}

function bytesByStack (profiles) {
  const sums = {}
  for (const profile of profiles) {
    const waiting = [{ tree: buildHeapTree({ profile, before: null }), above: '' }]
    for (const { tree: { frame, selfBytes, children }, above } of waiting) {
      const stack = `${above};${frame.name}@${frame.file}`
      if (selfBytes > 0) sums[stack] = (sums[stack] ?? 0) + selfBytes
      for (const tree of children) waiting.push({ tree, above: stack })
    }
  }
  return sums
}

const stack = fc.tuple(fc.array(fc.constantFrom('load', 'keep', '(BYTECODE_COMPILER)'), { minLength: 1, maxLength: 4 }), fc.integer({ min: 1, max: 1000 }))
const heaps = fc.array(fc.array(stack, { maxLength: 12 }), { maxLength: 5 })

test('every stack of a merged heap profile has the bytes of its parts together, and each process its own', () => {
  fc.assert(fc.property(heaps, all => {
    const parts = all.map((stacks, index) => craftHeap(stacks, String(7 + index)))
    const merged = merge(parts)
    assert.deepEqual(bytesByStack([merged]), bytesByStack(parts))
    assert.equal(merged.samples.length, parts.flatMap(({ samples }) => samples).length)
    for (const { process, bytes } of bytesByProcess(buildHeapTree({ profile: merged, before: null }))) {
      assert.equal(bytes, buildHeapTree({ profile: parts[Number(process) - 1000], before: null }).totalBytes)
    }
  }))
})

test('every format shows whose the bytes are', () => {
  const profile = merge([craftHeap([[['load', 'keep'], 3e6]], '7'), craftHeap([[['load', 'keep'], 1e6]], '9')])
  const heap = { profile, before: null, mode: 'live', fromMs: 0, toMs: 0 }
  const context = { title: 'heap profile of api', notes: ['without process 7: it has ended'] }
  const text = HEAP_FORMATS.text.encode(heap, context).toString()
  assert.match(text, /^ +3\.00 +75\.0% +1000\n +1\.00 +25\.0% +1001$/m)
  assert.match(text, /^Note: without process 7: it has ended$/m)
  assert.match(HEAP_FORMATS.flamegraph.encode(heap, context).toString(), /By process: 1000 75\.0% · 1001 25\.0%/)
  const { sample } = Profile.decode(gunzipSync(HEAP_FORMATS.pprof.encode(heap, context)))
  assert.deepEqual(sample.map(({ label: [pid], value }) => [Number(pid.num), Number(value[1])]), [[1000, 3e6], [1001, 1e6]])
})
