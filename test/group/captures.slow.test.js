'use strict'

// What stops a process, taken in each process of a group: one after the other, and into an archive.

const test = require('node:test')
const assert = require('node:assert/strict')
const { execFileSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { getControl } = require('../admin/running')
const { cli } = require('../cli/cli')
const { order, runGroup } = require('./grouped')

const DUMP = 'a-token-for-dumps-of-thirty-two-characters'
const PROFILE = 'a-token-for-profiles-of-thirty-two-characters'

test('what stops a process needs the scope for it, and no two are stopped at once', { timeout: 60_000 }, async t => {
  const { apps: [asked, other] } = await runGroup(t, 2, { env: { LOOPSCOPE_TOKEN: `dump:${DUMP},profile:${PROFILE}` } })
  const wanted = { kind: 'heap-histogram' }
  assert.equal((await order(asked.url, wanted, { token: PROFILE })).status, 403)
  const answers = await Promise.all([order(asked.url, wanted, { token: DUMP }), order(asked.url, wanted, { token: DUMP })])
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409])
  const { processes } = answers.find(({ status }) => status === 201).answer
  assert.deepEqual(processes.map(({ problem }) => problem), [null, null])
  const captures = await Promise.all([asked, other].map(async ({ socketPathOfGroup }) => JSON.parse((await getControl(socketPathOfGroup, '/captures')).text).captures[0]))
  const [first, second] = captures.sort((left, right) => left.startedAt - right.startedAt)
  assert.ok(first.endedAt <= second.startedAt)
})

test('the command line makes one archive, with the missing processes and the reasons', { timeout: 120_000 }, async t => {
  const { apps: [app, stopped], env, folder } = await runGroup(t, 2)
  stopped.child.kill('SIGSTOP')
  t.after(() => stopped.child.kill('SIGCONT'))
  for (const [args, kind, names] of [
    [['--kind', 'histogram'], 'heap-histogram', ['.json']],
    [[], 'heap-snapshot', ['.heapsnapshot', '.heapsnapshot.json']]
  ]) {
    const file = path.join(folder, `${kind}.tar.gz`)
    const { code, stderr } = await cli(['heap', '--group', 'shop', ...args, '-o', file], { env })
    assert.equal(code, 0, stderr)
    const into = fs.mkdtempSync(path.join(folder, 'unpacked-'))
    execFileSync('tar', ['xzf', file, '-C', into])
    assert.deepEqual(fs.readdirSync(into).sort(), [...names.map(name => `${kind}-${app.pid}${name}`), 'index.json'])
    const read = name => JSON.parse(fs.readFileSync(path.join(into, name), 'utf8'))
    const { processes } = read('index.json')
    assert.deepEqual(processes.find(({ pid }) => pid === stopped.pid).problem, 'no answer in 2.5 s')
    assert.ok(read(processes.find(({ pid }) => pid === app.pid).file))
  }
})
