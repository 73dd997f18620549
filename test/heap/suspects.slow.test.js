'use strict'

// Applications that leak, each in its own way, and others that only warm up: behind a real server, under load.

const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const test = require('node:test')
const { compareFiles } = require('../../lib/heap-diff/comparison/compare-files')
const { writtenBy } = require('./snapshots')

/** What the first suspect has to name; `what`: what it is; `pattern`: a word of the hint; `declaration`: how the line begins that it is declared in. */
const LEAKS = {
  'map-cache': { name: 'sessions', className: 'Map', what: /^a cache without a limit/, pattern: /limit its size/ },
  'listener-per-request': { name: "priceChanges.on('change')", className: 'Array', what: /^listeners/, pattern: /Listeners/ },
  'timer-closure': { name: 'setTimeout or setInterval', className: 'TimersList', what: /^timers/, pattern: /Timers/ },
  'linked-list': { name: 'newest', className: '{order, before}', what: /./, pattern: /./, declaration: 'let newest' },
  'promise-chain': { name: 'open', className: 'Promise', what: /^promises/, pattern: /never settle/ },
  'weak-ref': { name: 'entries', className: 'Map', what: /./, pattern: /WeakRef|limit its size/ },
  'module-array': { name: 'audit', className: 'Array', what: /^a list that only grows/, pattern: /only appended to/ },
  'unsettled-promise': { name: 'confirmation', className: 'Promise', what: /^promises/, pattern: /never settle/ },
  'kept-requests': { name: 'recent', className: 'Set', what: /^requests that are kept/, pattern: /requests are retained/ },
  'process-listener': { name: 'openSegments', className: 'Map', what: /^a cache without a limit/, pattern: /^Entries are added and never removed/, declaration: 'const openSegments' },
  'global-map': { name: 'keep', className: 'Map', what: /^a cache without a limit/, pattern: /limit its size/, declaration: 'globalThis.keep =' },
  'write-queue': { name: 'audit: write queue', className: 'Array', what: /^the write queue of a stream/, pattern: /^More is written to the stream/, declaration: 'const audit' },
  'socket-pool': { name: 'pool: waiting requests', className: 'Array', what: /^sockets or waiting requests of an HTTP client/, pattern: /^Requests wait for a connection/, declaration: 'const pool' },
  'symbol-array': { name: 'journal[Symbol(backlog)]', className: 'Array', what: /^a list that only grows/, pattern: /only appended to/ },
  'abort-listener': { name: 'closing: listeners', className: 'Listener', what: /^listeners/, pattern: /Listeners/, declaration: 'const closing' },
  'request-store': { name: 'setTimeout or setInterval', className: 'TimersList', what: /^timers/, pattern: /Timers/ },
  pieces: { name: 'titles', className: 'Array', what: /^texts/, pattern: /a short piece of a long text/ },
  'unread-responses': { name: 'answers', className: 'Array', what: /^requests or responses of an HTTP client/, pattern: /Read every response/ },
  'own-timer': { name: 'orders', className: 'Array', what: /^a list that only grows/, pattern: /only appended to/ },
  'growing-survivor': { name: 'history', className: 'Array', what: /^a list that only grows/, pattern: /only appended to/ }
}

const HEALTHY = ['healthy-express', 'healthy-cache', 'healthy-workload']
const SOURCES = path.resolve(__dirname, '../fixtures/heap/leaks')

const readSource = file => file.startsWith(SOURCES) ? fs.readFileSync(file, 'utf8') : null

async function loaded (t, name) {
  const folder = await writtenBy('leaks/run.js', made => [name, made])
  t.after(() => fs.rmSync(folder, { recursive: true, force: true }))
  return ['first', 'second', 'third'].map(part => path.join(folder, `${name}.${part}.heapsnapshot`))
}

for (const [app, { name, className, what, pattern, declaration }] of Object.entries(LEAKS)) {
  test(`names the culprit of ${app}`, async t => {
    const files = await loaded(t, app)
    const { suspects: [suspect], headline } = await compareFiles(files.slice(0, 2), { readSource })
    assert.deepEqual([suspect.name, suspect.className, suspect.confidence], [name, className, 'medium'])
    assert.ok(suspect.share > 0.8 && suspect.newObjects > 300, JSON.stringify(suspect))
    assert.equal(path.basename(suspect.place.file), `${app}.js`)
    assert.match(suspect.what, what)
    assert.match(suspect.patterns.join(' '), pattern)
    assert.match(suspect.reasons.join(' '), /take a third after as much load again/)
    if (declaration) assert.match(readSource(suspect.place.file).split('\n')[suspect.place.line - 1], new RegExp(`^${declaration}`))
    assert.match(headline, new RegExp(`^Heap \\d+\\.\\d → \\d+\\.\\d MB\\. .+ in ${app}\\.js:${suspect.place.line}\\) explains \\d+\\.\\d MB \\(\\d+ %\\)$`))
    const { suspects: [again] } = await compareFiles(files, { readSource })
    assert.deepEqual([again.name, again.signature, again.confidence], [name, suspect.signature, 'high'])
  })
}

for (const app of HEALTHY) {
  test(`suspects nobody with confidence in ${app}`, async t => {
    const files = await loaded(t, app)
    for (const compared of [files.slice(0, 2), files]) {
      const { suspects, headline } = await compareFiles(compared, { readSource })
      assert.deepEqual(suspects.filter(({ confidence }) => confidence !== 'low'), [])
      assert.match(headline, /No object is suspicious|did not grow/)
    }
  })
}

test('gives where a variable is declared when the source is at hand, else where its function is', async t => {
  const files = (await loaded(t, 'map-cache')).slice(0, 2)
  const lines = fs.readFileSync(path.join(SOURCES, 'map-cache.js'), 'utf8').split('\n')
  const place = async options => (await compareFiles(files, options)).suspects[0].place.line
  assert.equal(await place({ readSource }), lines.findIndex(line => line.includes('const sessions')) + 1)
  assert.equal(await place({}), lines.findIndex(line => line.includes('function handle')) + 1)
})
