'use strict'

const assert = require('node:assert/strict')
const { execFileSync, spawnSync } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { after, test } = require('node:test')
const { FORMATS } = require('../../lib/formats/formats')
const { mergeProfiles } = require('../../lib/formats/merge-profiles')
const { keepBusy, ready, run } = require('../captures/running')
const { readRecorded, withRoutes } = require('../fixtures/profiles/profiles')

const skip = spawnSync('go', ['version']).status === 0 ? false : 'go is not installed'
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'loopscope-pprof-'))
after(() => fs.rmSync(folder, { recursive: true }))

function pprof (name, profile, ...args) {
  const file = path.join(folder, `${name}.pb.gz`)
  fs.writeFileSync(file, FORMATS.pprof.encode(profile, { appRoot: '/app', startedAt: 1_750_000_000_000, notes: ['shorter than asked'] }))
  // It keeps copies of what it reads, by default in the user's home.
  return execFileSync('go', ['tool', 'pprof', ...args, file], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, PPROF_TMPDIR: folder } })
}

for (const { name, profile } of readRecorded()) {
  test(`go tool pprof -top reads ${name}`, { skip }, () => {
    const top = pprof(name, profile, '-top')
    assert.match(top, /^Type: cpu$/m)
    assert.match(top, /^Time: 2025-06-15/m)
    assert.match(top, /^shorter than asked$/m)
    assert.match(top, / parseReport$/m)
    assert.match(top, / \(garbage collector\)$/m)
    assert.doesNotMatch(top, /idle/)
  })
}

test('go tool pprof opens what an application captured of itself and finds the function which ran', { skip }, async t => {
  const app = await run(t)
  await ready(app)
  keepBusy()
  const { path: file } = await app.handle.capture('cpu', { last: 5, format: 'pprof' })
  assert.match(execFileSync('go', ['tool', 'pprof', '-top', file], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }), /keepBusy/)
})

test('go tool pprof -peek finds the caller of the slow native function', { skip }, () => {
  const [{ name, profile }] = readRecorded()
  assert.match(pprof(name, profile, '-peek', '^pbkdf2Sync$'), /login\n.*pbkdf2Sync\n.*run/)
})

test('go tool pprof -tagfocus shows one route, and -tags all of them', { skip }, () => {
  const [{ name, profile }] = readRecorded()
  const labelled = withRoutes(profile, { login: 'POST /login', parseReport: 'GET /reports/:id' })
  const top = pprof(name, labelled, '-top', '-tagfocus=http_route=POST /login')
  assert.match(top, / login$/m)
  assert.doesNotMatch(top, / parseReport$/m)
  assert.match(pprof(name, labelled, '-tags'), /http_route: Total [^]*: POST \/login\n[^]*: GET \/reports\/:id\n/)
  assert.match(pprof(name, labelled, '-top', '-tagroot=http_route'), / POST \/login$/m)
})

test('go tool pprof -tagfocus shows one process of several, and -tags all of them', { skip }, () => {
  const parts = readRecorded().map(({ profile }, index) => ({ process: String(1000 + index), profile }))
  const merged = mergeProfiles(parts)
  assert.match(pprof('merged', merged, '-tags'), /pid: Total [^]*: 1000\n/)
  assert.match(pprof('merged', merged, '-top', '-tagfocus=pid=1000'), / parseReport$/m)
  const none = pprof('merged', merged, '-top', '-tagfocus=pid=999')
  assert.doesNotMatch(none, / parseReport$/m)
})

test('go tool pprof -proto writes it again and finds all names in it', { skip }, () => {
  const [{ name, profile }] = readRecorded()
  const output = path.join(folder, 'again.pb.gz')
  pprof(name, profile, '-proto', `-output=${output}`)
  const raw = execFileSync('go', ['tool', 'pprof', '-raw', output], { encoding: 'utf8' })
  assert.match(raw, /samples\/count cpu\/nanoseconds/)
  assert.match(raw, /login routes\.js:9:0 s=9/)
  assert.match(raw, /\[FN\]\[FL\]\[LN\]/)
})
