'use strict'

const assert = require('node:assert/strict')
const { execFileSync, spawnSync } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { after, test } = require('node:test')
const { drive } = require('../process/child')

const skip = spawnSync('go', ['version']).status === 0 ? false : 'go is not installed'
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'loopscope-pprof-'))
after(() => fs.rmSync(folder, { recursive: true }))

function top (file) {
  // It keeps copies of what it reads, by default in the user's home.
  return execFileSync('go', ['tool', 'pprof', '-top', file], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, PPROF_TMPDIR: folder } })
}

/** What a process of its own writes in which a known function allocates. */
function profileOf (app, options) {
  return app.run(async ({ handle }, options) => {
    const held = globalThis.held = []
    const capture = handle.capture('heap-profile', { seconds: 2, ...options })
    const filling = setInterval(function fillCache () { for (let at = 0; at < 2000; at++) held.push(new Array(100).fill(at)) }, 100)
    const { path } = await capture
    clearInterval(filling)
    return path
  }, options)
}

for (const [mode, type] of [['live', 'inuse_space'], ['all', 'alloc_space']]) {
  test(`go tool pprof -top names what allocated, of what is ${mode === 'live' ? 'alive' : 'allocated'}`, { skip, timeout: 60_000 }, async t => {
    const app = await drive(t, { options: { signals: false } })
    const text = top(await profileOf(app, { mode, format: 'pprof' }))
    assert.match(text, new RegExp(`^Type: ${type}$`, 'm'))
    const [, first] = /\n +flat +flat% +sum% +cum +cum%\n([^\n]*)/.exec(text)
    assert.match(first, /[kM]B .* fillCache$/)
  })
}

test('a .heapprofile has the fields that DevTools and `node --heap-prof` have', async t => {
  const cwd = fs.mkdtempSync(path.join(folder, 'own-'))
  execFileSync(process.execPath, ['--heap-prof', '--heap-prof-interval=1024', '-e', '[...Array(1e4).keys()].map(String)'], { cwd })
  const [own] = fs.readdirSync(cwd).filter(name => name.endsWith('.heapprofile'))
  const app = await drive(t, { options: { signals: false } })
  const [wanted, made] = [path.join(cwd, own), await profileOf(app, {})].map(file => JSON.parse(fs.readFileSync(file, 'utf8')))
  const shapes = profile => {
    const nodes = [profile.head]
    for (const { children } of nodes) nodes.push(...children)
    const keys = objects => [...new Set(objects.map(object => Object.keys(object).sort().join()))]
    return { profile: keys([profile]), nodes: keys(nodes), frames: keys(nodes.map(({ callFrame }) => callFrame)), samples: keys(profile.samples) }
  }
  assert.deepEqual(shapes(made), shapes(wanted))
  const ids = new Set()
  const waiting = [made.head]
  for (const { id, children } of waiting) { ids.add(id); waiting.push(...children) }
  assert.ok(made.samples.length > 0 && made.samples.every(({ nodeId }) => ids.has(nodeId)))
})
