'use strict'

const assert = require('node:assert/strict')
const { test } = require('node:test')
const { gunzipSync } = require('node:zlib')
const { Profile } = require('pprof-format')
const { requestForPyroscope } = require('../../lib/observer/egress/backends')
const { buildPprof } = require('../../lib/formats/pprof')
const { craft, readRecorded } = require('../fixtures/profiles/profiles')
const { FROM_MS, LABELS, SAMPLED, TRACE, item, namesIn } = require('./items')

const SETTINGS = { to: 'pyroscope', url: 'http://127.0.0.1:4040', everySeconds: 15, labels: {} }

async function read (more) {
  const { url, headers, body } = requestForPyroscope(item(more), SETTINGS)
  const form = await new Response(body, { headers }).formData()
  const config = form.get('sample_type_config')
  return {
    query: Object.fromEntries(new URL(url).searchParams),
    message: Profile.decode(gunzipSync(await form.get('profile').arrayBuffer())),
    config: config === null ? null : JSON.parse(await config.text())
  }
}

for (const { name, profile } of readRecorded()) {
  test(`sends all of ${name} as pprof in a form`, async () => {
    const { query, message, config } = await read({ profile })
    assert.deepEqual(namesIn(message), namesIn(buildPprof(profile, { appRoot: '/app' })))
    assert.equal(BigInt(message.timeNanos), BigInt(FROM_MS) * 1_000_000n)
    assert.equal(config, null)
    const { sampleRate, ...others } = query
    assert.deepEqual(others, { name: 'shop{pid=4711,host=web-1,version=1.2.3}', from: '1750000000', until: '1750000015', spyName: 'nodespy' })
    assert.ok(Number(sampleRate) > 50 && Number(sampleRate) < 2000, sampleRate)
  })
}

test('says of sampled allocations what their values are', async () => {
  const { message, config } = await read({ kind: 'heap-profile', heapProfile: SAMPLED })
  assert.deepEqual([namesIn(message).types, Object.keys(config)], [['samples/count', 'inuse_space/bytes'], ['inuse_space', 'alloc_space']])
})

test('labels what was sampled while one request was at work with its span, and not with its trace: each would be a series', async () => {
  const { message } = await read({ profile: readRecorded()[0].profile, trace: TRACE })
  const text = at => message.stringTable.strings[Number(at)]
  for (const { label } of message.sample) assert.deepEqual(label.map(({ key, str }) => [text(key), text(str)]), [['span_id', TRACE.spanId]])
})

test('makes of any labels a name that can be read', async () => {
  const long = 'é'.repeat(2000)
  const labels = {
    ...LABELS,
    service: '@shop/api v2',
    'k8s.pod': 'a,b}c{d=e',
    '7days': ' x\ny ',
    service_name: 'other',
    __secret: 'y',
    empty: '',
    long,
    half: 'a\ud800'
  }
  const { query: { name } } = await read({ heapProfile: SAMPLED, labels })
  assert.equal(name, `_shop/api_v2{pid=4711,host=web-1,version=1.2.3,k8s_pod=a_b_c_d=e,_7days=x_y,long=${'é'.repeat(1024)},half=a_}`)
})

test('sends nothing of what is no profile, and of a process that did nothing', () => {
  assert.equal(requestForPyroscope(item({ profile: craft([[['(idle)'], 15_000_000]]) }), SETTINGS), null)
  assert.equal(requestForPyroscope(item({ kind: 'heap-snapshot', file: '/tmp/x.heapsnapshot' }), SETTINGS), null)
})

test('goes to /ingest below the address that was given', () => {
  const path = url => new URL(requestForPyroscope(item({ heapProfile: SAMPLED }), { ...SETTINGS, url }).url).pathname
  assert.deepEqual(['http://127.0.0.1:4040', 'http://127.0.0.1:4040/team/', 'http://127.0.0.1:4040/ingest'].map(path), ['/ingest', '/team/ingest', '/ingest'])
})
