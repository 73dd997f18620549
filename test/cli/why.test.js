'use strict'

// `loopscope why` and `loopscope` alone, asked of real processes.

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { setTimeout: sleep } = require('node:timers/promises')
const { run } = require('../admin/running')
const { cli } = require('./cli')
const { makeShortScratch } = require('../store/scratch')

/** The process listens before its observer has opened the control socket. */
async function reachable ({ controlDir }, ...pids) {
  while (!pids.every(pid => fs.existsSync(path.join(controlDir, `${pid}.sock`)))) await sleep(20)
}

test('why answers as text, JSON and Markdown, with a pid and where one process runs without', async t => {
  const app = await run(t)
  const { pid, folder } = app
  await reachable(app, pid)
  const env = { TMPDIR: folder }
  const byPid = await cli(['why', String(pid)], { env })
  assert.equal(byPid.code, 0, byPid.stderr)
  assert.match(byPid.stdout, new RegExp(`\\(pid ${pid}\\), observed [^]*?\\n\\n1\\. (OK|NOTE|WARNING|CRITICAL): `))
  const asJson = await cli(['why', '--json'], { env })
  const answer = JSON.parse(asJson.stdout)
  assert.deepEqual([answer.pid, answer.findings.length > 0], [pid, true])
  assert.match((await cli(['why', '--markdown'], { env })).stdout, /^# .*\n\n## 1\. /)
})

test('where several run, each is listed with its first finding; the same without a command', async t => {
  const first = await run(t)
  const second = await run(t, { env: { TMPDIR: first.folder } })
  await reachable(first, first.pid, second.pid)
  const env = { TMPDIR: first.folder }
  for (const args of [['why'], []]) {
    const { code, stdout } = await cli(args, { env })
    assert.equal(code, 0)
    assert.match(stdout, /^ *PID +NAME +FINDING\n/)
    for (const { pid } of [first, second]) assert.match(stdout, new RegExp(`^ *${pid} .*: `, 'm'))
  }
})

test('where none runs why says so, and loopscope alone shows the help', async t => {
  const folder = makeShortScratch(t)
  const why = await cli(['why'], { env: { TMPDIR: folder } })
  assert.deepEqual([why.code, /None of your processes/.test(why.stderr)], [4, true])
  const alone = await cli([], { env: { TMPDIR: folder } })
  assert.deepEqual([alone.code, /loopscope <command>/.test(alone.stdout)], [0, true])
})
