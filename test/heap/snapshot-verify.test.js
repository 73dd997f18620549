'use strict'

const assert = require('node:assert/strict')
const { randomBytes } = require('node:crypto')
const fs = require('node:fs')
const path = require('node:path')
const test = require('node:test')
const v8 = require('node:v8')
const { CANARY_CLASS, installCanaries } = require('../../lib/shared/heap/canaries')
const { findCanaries, verifySnapshot } = require('../../lib/observer/heap/redaction/verify')
const { redactSnapshot } = require('../../lib/observer/heap/redaction/redact')
const { makeScratch } = require('../store/scratch')

const code = 'ERR_LOOPSCOPE_INVALID_SNAPSHOT'

const META = { node_fields: ['type', 'name', 'id', 'self_size', 'edge_count'], node_types: [['string', 'object']], edge_fields: ['type', 'name_or_index', 'to_node'], edge_types: [['element', 'property']] }
const header = counts => `{"snapshot":${JSON.stringify({ meta: META, node_count: 1, edge_count: 1, ...counts })},`
const WHOLE = `${header({})}"nodes":[1,1,1,16,1],"edges":[1,1,0],"samples":[],"strings":["<dummy>","a\\"]}"]}`

const HOSTILE = {
  empty: '',
  'not JSON': 'hello',
  'another JSON': '{"nodes":[]}',
  gzipped: Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0]),
  'without its end': WHOLE.slice(0, -1),
  'cut in the strings': WHOLE.slice(0, -6),
  'cut in the edges': WHOLE.slice(0, WHOLE.indexOf(',"samples"') - 2),
  'with more nodes than it has': WHOLE.replace('"node_count":1', '"node_count":4000000000'),
  'with fewer edges than it has': WHOLE.replace('"edge_count":1', '"edge_count":0'),
  'with texts among the numbers': WHOLE.replace('"samples":[]', '"samples":["secret"]'),
  'with something behind the strings': WHOLE.replace(/}$/, ',"more":["secret"]}'),
  'without strings': WHOLE.replace(/,"strings".*/, '}'),
  'with an endless header': `{"snapshot":{"meta":"${'x'.repeat(200_000)}`
}

test('counts what a real snapshot holds, and finds the canaries in it, twice at the same numbers', async t => {
  const file = path.join(makeScratch(t), 'real.heapsnapshot')
  assert.equal(installCanaries(), installCanaries())
  const read = async () => {
    v8.writeHeapSnapshot(file)
    const found = await verifySnapshot(file, { className: CANARY_CLASS })
    return { found, ids: await findCanaries(file, found.classIndex) }
  }
  const { found, ids } = await read()
  const { snapshot, strings } = JSON.parse(fs.readFileSync(file))
  assert.deepEqual([found.nodes, found.edges, found.strings, found.fileBytes], [snapshot.node_count, snapshot.edge_count, strings.length, fs.statSync(file).size])
  assert.ok(found.generatedNames > 100 && found.generatedNames < strings.length)
  assert.equal(ids.length, 8)
  assert.deepEqual((await read()).ids, ids)
})

for (const [what, bytes] of Object.entries(HOSTILE)) {
  test(`refuses a file ${what}, for verifying and for redacting`, async t => {
    const file = path.join(makeScratch(t), 'hostile.heapsnapshot')
    fs.writeFileSync(file, bytes)
    await assert.rejects(verifySnapshot(file), { code })
    // The number of nodes is none of redaction's business, and what it wrote before it noticed is thrown away with the rest.
    if (!/nodes|edges than/.test(what)) await assert.rejects(redactSnapshot(file, `${file}.redacted`, { mode: 'values', nameKey: randomBytes(32) }), { code })
  })
}

test('takes a small whole file, and no memory for an index far beyond its strings', async t => {
  const file = path.join(makeScratch(t), 'small.heapsnapshot')
  fs.writeFileSync(file, WHOLE)
  assert.deepEqual(await verifySnapshot(file), { nodes: 1, edges: 1, strings: 2, generatedNames: 0, fileBytes: WHOLE.length, classIndex: -1 })
  fs.writeFileSync(file, WHOLE.replace('"edges":[1,1,0]', '"edges":[1,9007199254740991,0]'))
  await assert.rejects(redactSnapshot(file, `${file}.redacted`, { mode: 'values', nameKey: randomBytes(32) }), { code })
})

test('tokens may begin in one read and end in another', async t => {
  const file = path.join(makeScratch(t), 'long.heapsnapshot')
  const strings = ['<dummy>', 'x'.repeat(3 * 1024 ** 2), 'a\\', '"', ...Array.from({ length: 300_000 }, (_, at) => `\\"${at}`)]
  fs.writeFileSync(file, `${header({})}"nodes":[1,1,1,16,1],"edges":[1,1,0],\n"strings":${JSON.stringify(strings, null, 1)}}\n`)
  assert.equal((await verifySnapshot(file)).strings, strings.length)
  await redactSnapshot(file, `${file}.redacted`, { mode: 'values', nameKey: randomBytes(32) })
  const redacted = JSON.parse(fs.readFileSync(`${file}.redacted`)).strings
  assert.equal(redacted.length, strings.length)
  assert.match(redacted[1], /^\[redacted [0-9a-f]{12}\]\*+$/)
  assert.deepEqual([...new Set(redacted.toSpliced(1, 1))], ['<dummy>', '[redacted]'])
})

test('stops when its signal is aborted', async t => {
  const file = path.join(makeScratch(t), 'small.heapsnapshot')
  fs.writeFileSync(file, WHOLE)
  await assert.rejects(verifySnapshot(file, { signal: AbortSignal.abort() }), { name: 'AbortError' })
})
