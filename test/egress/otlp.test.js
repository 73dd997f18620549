'use strict'

const assert = require('node:assert/strict')
const path = require('node:path')
const { test } = require('node:test')
const { requestForOtlp } = require('../../lib/observer/egress/backends')
const { buildPprof } = require('../../lib/formats/pprof')
const { readRecorded, withRoutes } = require('../fixtures/profiles/profiles')
const { FROM_MS, LABELS, SAMPLED, TRACE, item, namesIn } = require('./items')
const { decode, readProtos } = require('./protobuf')

const PROTOS = readProtos(path.join(__dirname, '..', 'fixtures', 'egress', 'opentelemetry-proto'))
const SETTINGS = { to: 'otlp', url: 'http://127.0.0.1:4318', everySeconds: 15, labels: {} }

function read (more) {
  const { body } = requestForOtlp(item(more), SETTINGS)
  const { resource_profiles: [{ resource, scope_profiles: [{ scope, profiles }] }], dictionary } = decode(PROTOS, 'ExportProfilesServiceRequest', body)
  return { resource, scope, profiles, dictionary }
}

const text = (dictionary, place = 0) => dictionary.string_table[place]
const typeOf = (dictionary, { type_strindex: type, unit_strindex: unit }) => `${text(dictionary, type)}/${text(dictionary, unit)}`
const valueOf = ({ string_value: text, int_value: number }) => text ?? number
const ofPairs = attributes => Object.fromEntries(attributes.map(({ key, value }) => [key, valueOf(value)]))

function attributesAt (dictionary, places) {
  return Object.fromEntries(places.map(place => {
    const { key_strindex: key, value } = dictionary.attribute_table[place]
    return [text(dictionary, key), valueOf(value)]
  }))
}

function samplesOf (dictionary, { samples }) {
  return samples.map(({ stack_index: stack, values }) => ({
    stack: dictionary.stack_table[stack].location_indices.map(place => frameAt(dictionary, place)),
    value: values.map(Number)
  }))
}

function frameAt (dictionary, place) {
  const { lines: [{ function_index: index, line = 0 }] } = dictionary.location_table[place]
  const { name_strindex: name, filename_strindex: file, start_line: start = 0 } = dictionary.function_table[index]
  return `${text(dictionary, name)} ${text(dictionary, file)}:${start} at ${line}`
}

for (const { name, profile } of readRecorded()) {
  test(`holds every stack of ${name} with its values, one profile a type of value`, () => {
    const { profiles, dictionary } = read({ profile })
    const expected = namesIn(buildPprof(profile, { appRoot: '/app' }))
    assert.deepEqual(profiles.map(one => typeOf(dictionary, one.sample_type)), ['samples/count', 'cpu/nanoseconds'])
    profiles.forEach((one, at) => {
      assert.deepEqual(samplesOf(dictionary, one), expected.samples.map(({ stack, value }) => ({ stack, value: [value[at]] })))
      assert.equal(typeOf(dictionary, one.period_type), 'cpu/nanoseconds')
      assert.equal(one.time_unix_nano, BigInt(FROM_MS) * 1_000_000n)
      assert.equal(Number(one.duration_nano), (profile.endTime - profile.startTime) * 1e3)
    })
  })
}

test('has an empty entry at place 0 of each table, and each string and stack once', () => {
  const { dictionary } = read({ profile: readRecorded()[0].profile })
  const empty = { location_table: { lines: [], attribute_indices: [] }, stack_table: { location_indices: [] }, mapping_table: { attribute_indices: [] } }
  for (const [table, entries] of Object.entries(dictionary)) {
    assert.deepEqual(entries[0], table === 'string_table' ? '' : empty[table] ?? {}, table)
  }
  assert.equal(new Set(dictionary.string_table).size, dictionary.string_table.length)
  const stacks = dictionary.stack_table.map(({ location_indices: places }) => places.join())
  assert.equal(new Set(stacks).size, stacks.length)
})

test('says which process it is of, in the names of OpenTelemetry, and that its frames are of V8', () => {
  const { resource, scope, dictionary } = read({ profile: readRecorded()[0].profile, labels: { ...LABELS, team: 'Käufer', pod: '' } })
  assert.deepEqual(ofPairs(resource.attributes), {
    'service.name': 'shop',
    'process.pid': 4711n,
    'host.name': 'web-1',
    'service.version': '1.2.3',
    team: 'Käufer',
    'process.runtime.name': 'nodejs'
  })
  assert.equal(scope.name, 'loopscope')
  for (const { attribute_indices: places } of dictionary.location_table.slice(1)) {
    assert.deepEqual(attributesAt(dictionary, places), { 'profile.frame.type': 'v8js' })
  }
})

test('says of a sample in which route it was taken', () => {
  const { profiles: [samples], dictionary } = read({ profile: withRoutes(readRecorded()[0].profile, { login: 'POST /login' }) })
  const of = samples.samples.filter(({ attribute_indices: places }) => places.length > 0)
  assert.ok(of.length > 0)
  for (const { attribute_indices: places } of of) assert.deepEqual(attributesAt(dictionary, places), { 'http.request.method': 'POST', 'http.route': '/login' })
})

test('says of a profile from the middle of a stall how it was made, and not of the process', () => {
  const { resource, profiles, dictionary } = read({ profile: readRecorded()[0].profile, labels: { ...LABELS, unfinished_stall: 'sampled' } })
  for (const { attribute_indices: places } of profiles) assert.deepEqual(attributesAt(dictionary, places), { 'loopscope.unfinished_stall': 'sampled' })
  assert.equal('unfinished_stall' in ofPairs(resource.attributes), false)
})

test('sends sampled allocations in bytes', () => {
  const { profiles, dictionary } = read({ kind: 'heap-profile', heapProfile: SAMPLED })
  assert.deepEqual(profiles.map(one => typeOf(dictionary, one.sample_type)), ['samples/count', 'inuse_space/bytes'])
  assert.deepEqual(samplesOf(dictionary, profiles[1]), [{ stack: ['keep cache.js:4 at 4', 'fillCache cache.js:3 at 3'], value: [3_000_000] }])
})

test('links what was sampled while one request was at work to its trace', () => {
  const { profiles, dictionary } = read({ profile: readRecorded()[0].profile, trace: TRACE })
  for (const { link_index: link } of profiles.flatMap(({ samples }) => samples)) {
    const { trace_id: traceId, span_id: spanId } = dictionary.link_table[link]
    assert.deepEqual({ traceId: traceId.toString('hex'), spanId: spanId.toString('hex') }, TRACE)
  }
})

test('sends nothing of what is no profile', () => {
  assert.equal(requestForOtlp(item({ kind: 'stall', report: { durationMs: 1200 } }), SETTINGS), null)
  assert.equal(requestForOtlp(item({ kind: 'heap-histogram', file: '/tmp/h.json' }), SETTINGS), null)
})

test('sends a captured profile only where its time is not sent anyway', () => {
  const captured = item({ profile: readRecorded()[0].profile, file: '/tmp/cpu.cpuprofile' })
  assert.equal(requestForOtlp(captured, SETTINGS), null)
  assert.equal(requestForOtlp(captured, { ...SETTINGS, everySeconds: false }).method, 'POST')
})

test('is the same when it is made again, with an id of its own for each profile', () => {
  const { profile } = readRecorded()[0]
  assert.deepEqual(requestForOtlp(item({ profile }), SETTINGS), requestForOtlp(item({ profile }), SETTINGS))
  const ids = [...read({ profile }).profiles, ...read({ profile, id: 'two' }).profiles].map(({ profile_id: id }) => id.toString('hex'))
  assert.equal(new Set(ids).size, 4)
  assert.ok(ids.every(id => id.length === 32))
})

test('goes to the path of the protocol below the address that was given', () => {
  const url = address => requestForOtlp(item({ heapProfile: SAMPLED }), { ...SETTINGS, url: address }).url
  assert.equal(url('http://127.0.0.1:4318'), 'http://127.0.0.1:4318/v1development/profiles')
  assert.equal(url('http://127.0.0.1:4318/otlp/'), 'http://127.0.0.1:4318/otlp/v1development/profiles')
  assert.equal(url('http://127.0.0.1:4318/v1development/profiles'), 'http://127.0.0.1:4318/v1development/profiles')
})
