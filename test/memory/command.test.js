'use strict'

const assert = require('node:assert/strict')
const test = require('node:test')
const { fillingSiteOf, keepingSiteOf } = require('../../lib/observer/findings/growing')
const { answered } = require('../cli/answered')

const ANSWER = {
  pid: 7,
  at: 1_795_328_643_405,
  rssBytes: 200e6,
  owners: [
    { owner: 'heap', name: null, bytes: 30e6, allocatedBytes: 30e6 },
    { owner: 'worker', name: 'res\nize', bytes: 20e6, allocatedBytes: 20e6 },
    { owner: 'buffers', name: null, bytes: 100e6, allocatedBytes: 120e6 },
    { owner: 'native', name: null, bytes: 50e6, allocatedBytes: null }
  ],
  unknownWorkers: 1,
  measuredAt: 1_795_328_640_000,
  isStale: true,
  growing: [{ owner: 'buffers', name: null, bytes: 100e6, bytesPerMinute: 12.5e6, grownBytes: 90e6, minutes: 8 }],
  container: { usedBytes: 450e6, limitBytes: 500e6, highBytes: null, processBytes: 400e6, reclaimed: 3, killed: 1, basis: 'memory.max of /sys/fs/cgroup' },
  recent: [],
  coarse: []
}

test('the largest owner is first, with what grows, and the container last', async t => {
  const { code, stdout, stderr } = await answered(t, ANSWER, 'memory')
  assert.equal(code, 0)
  const [head, , ...rows] = stdout.trimEnd().split('\n')
  assert.equal(head, '200.0 MB in memory')
  assert.match(rows[0], /^Buffers +100\.0 MB +50 % +120\.0 MB +12\.5 MB\/min$/)
  assert.deepEqual(rows.slice(1, 4).map(row => row.split(/ {2,}/)[0]).map(text => text.replace(/[^\w ,]/g, '')), ['native memory', 'JavaScript heap, in use', 'worker thread resize'])
  assert.equal(rows[4], 'container: 450.0 MB of 500.0 MB (90 %), 400.0 MB of that by processes, at a limit 3 times, 1 process killed; memory.max of /sys/fs/cgroup')
  assert.match(stderr, /the event loop is blocked: figures of the main thread are from /)
  assert.match(stderr, /1 worker thread whose heap cannot be read/)
})

test('the data is given as it is', async t => {
  assert.deepEqual(JSON.parse((await answered(t, ANSWER, 'memory', '--json')).stdout), ANSWER)
})

const SITE = {
  kind: 'heap',
  thread: null,
  function: 'row',
  file: 'app.js',
  line: 4,
  column: 13,
  caller: { function: '(anonymous)', file: 'app.js', line: 6, column: 18 },
  through: null,
  route: 'GET /ma\np',
  holder: 'Map',
  keptAt: { file: 'app.js', line: 8, text: 'map.set(n, row(n))' },
  bytes: 3.8e6,
  samples: 60,
  byBirth: [6e5, 6e5, 7e5, 4e5, 0, 6e5],
  verdict: 'stays',
  bytesPerMinute: 9.4e6,
  bytesPerRequest: 2000
}
const SITES = {
  pid: 7,
  reason: 'growth',
  fromMs: 1_795_328_463_405,
  toMs: 1_795_328_643_405,
  isArmed: false,
  intervals: [30, 30, 30, 30, 30, 30],
  sites: [SITE],
  heap: { attributedBytes: 3.8e6, sampledBytes: 4e6 },
  buffers: { attributedBytes: 0, sampledBytes: 0, grownBytes: 1e6 },
  notes: ['another sampling of the heap has ended this one'],
  ownMs: 90
}

test('--sites shows which code allocates what stays', async t => {
  const { code, stdout, stderr } = await answered(t, SITES, 'memory', '--sites', '--wide')
  assert.equal(code, 0)
  const [head, , row, objects, buffers] = stdout.trimEnd().split('\n')
  assert.match(head, /^allocations of 180 s that are alive, sampled at .*, because memory grows;/)
  assert.match(row, /^3\.8 MB +9\.4 MB\/min +2\.0 kB +objects \(Map\) +▇▇█▅\.▇ stays +GET \/ma.*p +row app\.js:4, probably kept at app\.js:8, called from \(anonymous\) app\.js:6$/)
  assert.equal(objects, 'objects: 4.0 MB alive, 200.0 kB of that without code of the application on the stack')
  assert.equal(buffers, 'Buffers: 0 B alive; all Buffers of the process: +1.0 MB')
  assert.match(stderr, /another sampling of the heap has ended this one/)
  assert.deepEqual(JSON.parse((await answered(t, SITES, 'memory', '--sites', '--json')).stdout), SITES)
})

for (const wrong of [['--seconds', '5'], ['--sites', '--seconds', '0'], ['--sites', '--seconds', 'x'], ['--sites', '--group', 'api']]) {
  test(`refused: ${wrong.join(' ')}`, async t => {
    assert.equal((await answered(t, SITES, 'memory', ...wrong)).code, 2)
  })
}

test('a finding names the line, the route and the usual cure', () => {
  const sites = { ...SITES, sites: [{ ...SITE, route: 'GET /map' }] }
  const found = keepingSiteOf(/** @type {any} */ ({ memory: { sites } }), { owner: 'heap', name: null, bytesPerMinute: 10e6 })
  assert.deepEqual([found.where.line, found.where.route], [8, 'GET /map'])
  assert.equal(found.title, ', probably kept at app.js:8 for GET /map')
  assert.match(found.what, /100 % come from row \(app\.js:4\), called from \(anonymous\) \(app\.js:6\) \(Map\): every request of GET \/map leaves 2\.0 kB\. What keeps them is probably map\.set/)
  assert.match(found.instead, /limit/)
})

test('a line that is only guessed does not replace the one where it is allocated', async t => {
  const sites = { ...SITES, sites: [{ ...SITE, keptAt: { ...SITE.keptAt, isGuess: true }, holder: null, through: 'mustache' }] }
  const found = keepingSiteOf(/** @type {any} */ ({ memory: { sites } }), { owner: 'heap', name: null, bytesPerMinute: 10e6 })
  assert.deepEqual([found?.title, found?.where.line, found?.instead], [`, allocated in row (app.js:4), perhaps kept at app.js:8${SITE.route === null ? '' : ` for ${SITE.route}`}`, 4, null])
  assert.match(found?.what, / No line is known to keep them\. It may be map\.set/)
  assert.match((await answered(t, sites, 'memory', '--sites', '--wide')).stdout, /, perhaps kept at app\.js:8/)
})

test('a package that is known to keep what it gets is told from one that is not', () => {
  const sites = { ...SITES, sites: [{ ...SITE, holder: null, through: 'mustache' }] }
  assert.match(keepingSiteOf(/** @type {any} */ ({ memory: { sites } }), { owner: 'heap', name: null, bytesPerMinute: 10e6 })?.instead ?? '', /^mustache keeps what it gets there: /)
})

test('what a request leaves at many places is probably kept on the only line that keeps some of it', () => {
  const found = (/** @type {object[]} */ sites, bytesPerMinute = 12e6) => keepingSiteOf(/** @type {any} */ ({ memory: { sites: { ...SITES, sites } } }), { owner: 'heap', name: null, bytesPerMinute })
  const others = ['handle', 'parse', 'respond', 'listen', 'count'].map(name => ({ ...SITE, function: name, keptAt: null, bytesPerMinute: 2e6 }))
  const kept = { ...SITE, keptAt: { file: 'events.js', line: 7, text: 'clients.add(response)' }, bytesPerMinute: 1e6 }
  const { where, what } = /** @type {NonNullable<ReturnType<typeof keepingSiteOf>>} */ (found([...others, kept]))
  assert.deepEqual([where.file, where.line], ['events.js', 7])
  assert.match(what, /, 9 % come from row [^]* and with them probably this memory\. What keeps them is probably clients\.add\(response\)/)
  assert.equal(found([...others, kept], 30e6), null, 'most of the growth is something else')
  assert.equal(found([...others, kept, { ...kept, keptAt: { ...kept.keptAt, line: 9 } }]), null, 'two lines')
  assert.equal(found([...others, { ...kept, keptAt: { ...kept.keptAt, isGuess: true } }]), null, 'a guess')
})

test('what V8 makes itself is probably held by the others that stay', () => {
  const made = { ...SITE, function: '(V8 API)', file: '', line: 0, holder: null, keptAt: null, bytesPerMinute: 50e6 }
  const found = keepingSiteOf(/** @type {any} */ ({ memory: { sites: { ...SITES, sites: [made, { ...SITE, bytesPerMinute: 2e6 }] } } }), { owner: 'heap', name: null, bytesPerMinute: 60e6 })
  assert.equal(found?.where.line, 8)
  assert.match(found?.what ?? '', /^Of the objects allocated in .+ that stay, 96 % were made by V8 or Node\.js itself, .+\. Of the others, 100 % come from row [^]+, and with them probably those\./)
})

test('a finding names nothing that is not the reason', () => {
  const readings = /** @type {any} */ ({ memory: { sites: SITES } })
  assert.equal(keepingSiteOf(readings, { owner: 'heap', name: null, bytesPerMinute: 100e6 }), null, 'a small part of the growth')
  assert.equal(keepingSiteOf(readings, { owner: 'worker', name: 'resize', bytesPerMinute: 10e6 }), null, 'another owner')
  assert.equal(keepingSiteOf(readings, { owner: 'native', name: null, bytesPerMinute: 1e9 }), null, 'too few objects to hold native memory')
  assert.equal(keepingSiteOf(/** @type {any} */ ({ memory: { sites: null } }), { owner: 'heap', name: null, bytesPerMinute: 10e6 }), null)
})

test('native memory is probably held by the objects that stay', () => {
  const found = keepingSiteOf(/** @type {any} */ ({ memory: { sites: SITES } }), { owner: 'native', name: null, bytesPerMinute: 200e6 })
  assert.deepEqual([found?.where.line, found?.evidence.holder], [8, 'Map'])
  assert.match(found.what, /, and with them probably this memory\. What keeps them/)
})

test('Buffers that no site created are probably held by the objects that stay', () => {
  const ofBuffers = { ...SITE, kind: 'buffers', line: 2, holder: 'Buffer', keptAt: null, bytesPerMinute: 1e6 }
  const grows = { owner: /** @type {const} */ ('buffers'), name: null, bytesPerMinute: 10e6 }
  const found = keepingSiteOf(/** @type {any} */ ({ memory: { sites: { ...SITES, sites: [{ ...SITE, route: 'GET /map' }, ofBuffers] } } }), grows)
  assert.equal(found?.where.line, 8)
  assert.match(found.what, /^Of the objects allocated in .+ that stay, 100 % come from row .+, and with them probably this memory\. What keeps them is probably map\.set/)
  const others = [{ ...SITE, line: 20 }, { ...SITE, line: 30 }]
  assert.equal(keepingSiteOf(/** @type {any} */ ({ memory: { sites: { ...SITES, sites: [SITE, ...others] } } }), grows), null)
})

test('memory that fills too fast for an age is attributed to the site of most of what was alive', () => {
  const sites = all => ({ fromMs: 0, toMs: 6000, sites: all })
  const young = { ...SITE, verdict: 'young', bytesPerMinute: 0, bytesPerRequest: null, route: 'POST /cart' }
  const filled = { owner: /** @type {const} */ ('heap'), name: null }
  const found = fillingSiteOf(/** @type {any} */ (sites([{ ...young, bytes: 1e6, line: 9 }, { ...young, bytes: 3e6 }])), filled)
  assert.equal(found?.title, ', probably kept at app.js:8 for POST /cart')
  assert.match(found.what, /^Of the objects allocated in 6\.0 s that were alive, 75 % come from row \(app\.js:4\).+ \(Map\): 30 MB a minute\./)
  assert.equal(fillingSiteOf(/** @type {any} */ (sites([{ ...young, bytes: 1e6 }, { ...young, bytes: 1e6 }, { ...young, bytes: 1e6 }])), filled), null)
  assert.equal(fillingSiteOf(/** @type {any} */ (sites([{ ...young, verdict: 'temporary' }])), filled), null)
  assert.equal(fillingSiteOf(null, filled), null)
})
