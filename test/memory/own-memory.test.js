'use strict'

// d.memory() in the process itself: the owners, and the lines that allocate what stays.

const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const test = require('node:test')
const diagnostics = require('../../lib/index')

const { createDiagnostics } = diagnostics

const silent = { level: 'silent', warn () {}, error () {}, info () {}, debug () {} }
const lineOf = text => fs.readFileSync(__filename, 'utf8').split('\n').findIndex(line => line.endsWith(text)) + 1

/** @param {import('node:test').TestContext} t */
function started (t) {
  const d = createDiagnostics({ logger: silent, controlSocket: false }).start()
  t.after(() => d.close())
  return d
}

test('the owners add up to the resident memory, and sites are there only where they are asked for', async t => {
  const d = diagnostics({ logger: silent, controlSocket: false }) // the middleware has it too
  t.after(() => d.close())
  const answer = await d.memory()
  const sum = answer.owners.reduce((all, { bytes }) => all + bytes, 0)
  assert.equal(answer.pid, process.pid)
  if (answer.rssBytes !== null) assert.ok(Math.abs(sum - answer.rssBytes) < 1e6, `${sum} ${answer.rssBytes}`)
  assert.equal('sites' in answer, false)
  assert.equal((await d.memory({ sites: true })).sites, null, 'nothing has been sampled')
})

test('it samples as long as it is asked to, and names the line', async t => {
  const d = started(t)
  const kept = []
  const working = setInterval(() => {
    kept.push(Buffer.alloc(300e3, 1)) // kept
  }, 10)
  t.after(() => clearInterval(working))
  const { sites } = await d.memory({ seconds: 3 })
  assert.equal(sites.reason, 'asked')
  const [first] = sites.sites.filter(({ kind }) => kind === 'buffers')
  assert.deepEqual([path.basename(first.file), first.line], [path.basename(__filename), lineOf('// kept')])
  assert.deepEqual((await d.memory({ sites: true })).sites.fromMs, sites.fromMs, 'it is still there')
})

test('wrong options are refused, and a stopped one answers nothing', async t => {
  const d = started(t)
  for (const [wrong, message] of [[{ seconds: 0 }, /seconds/], [{ seconds: 601 }, /seconds/], [{ sites: 1 }, /sites/], [{ second: 1 }, /second/]]) {
    await assert.rejects(d.memory(wrong), message)
  }
  await d.close()
  await assert.rejects(d.memory(), { code: 'ERR_LOOPSCOPE_NOT_RUNNING' })
})
