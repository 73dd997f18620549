'use strict'

// A group of real processes, asked through one of them and through the command line, while one is blocked and one stopped.

const test = require('node:test')
const assert = require('node:assert/strict')
const { TOKEN, get, getControl, run } = require('../admin/running')
const { cli } = require('../cli/cli')
const { block, runGroup, until } = require('./grouped')

const WHOLE = /^group shop: (all|1 of) 2 processes answered/

test('every merged answer is there while one process is blocked and one stopped, also from the one that is blocked', { timeout: 120_000 }, async t => {
  const { apps: [turning, blocked, stopped], env } = await runGroup(t, 3)
  block(blocked)
  await until(async () => JSON.parse((await getControl(blocked.socketPathOfGroup, '/stalls')).text).blockedMs > 100)
  stopped.child.kill('SIGSTOP')

  const isUp = pid => pid !== stopped.pid
  await Promise.all([turning, blocked].flatMap(asked => ['', '/findings', '/stalls', '/sync-calls', '/slow-requests', '/requests'].map(async route => {
    let answer
    await until(async () => { // on a slow machine others may be late, too
      const { status, text } = await getControl(asked.socketPathOfGroup, `/group${route}`)
      assert.equal(status, 200, route)
      answer = JSON.parse(text)
      return answer.processes.filter(({ up }) => up).length === 2
    })
    assert.deepEqual([answer.group, answer.complete, answer.processes.length], ['shop', false, 3], route)
    for (const { pid, up, problem } of answer.processes) assert.deepEqual([up, problem], isUp(pid) ? [true, null] : [false, 'no answer in 2.5 s'], route)
  })))
  const { text } = await getControl(turning.socketPathOfGroup, '/group/findings?format=text')
  assert.match(text, new RegExp(`^group shop, .*\n[12] of 3 processes answered; [12] did not: .*${stopped.pid} \\(no answer in 2\\.5 s\\)`))
  const stalls = await cli(['stalls', '--group', 'shop'], { env })
  assert.equal(stalls.code, 0, stalls.stderr)
  assert.match(stalls.stdout, new RegExp(`^${blocked.pid} is blocked now, for .*GET /spin`, 'm'))
  const list = await cli(['list', '--group', 'shop', '--json'], { env })
  assert.deepEqual(JSON.parse(list.stdout).members.filter(({ up }) => up).map(({ pid }) => pid).sort(), [turning.pid, blocked.pid].sort())
})

test('the command line has an answer of a group for each question', { timeout: 120_000 }, async t => {
  const { apps, env } = await runGroup(t, 2)
  const expected = { why: /^group shop, [^]*2 processes answered[^]*\n\n1\. /, sync: WHOLE, slow: WHOLE, requests: WHOLE, waits: WHOLE, stalls: WHOLE, list: WHOLE, top: /^2 processes/m }
  await Promise.all(Object.entries(expected).map(async ([command, says]) => {
    const { code, stdout, stderr } = await cli([command, '--group', 'shop'], { env })
    assert.equal(code, 0, stderr)
    assert.match(stdout, says, command)
  }))
  const [markdown, none, both] = await Promise.all([['why', '-m', '--group', 'shop'], ['why', '--group', 'nix'], ['stalls', String(apps[0].pid), '--group', 'shop']].map(args => cli(args, { env })))
  assert.match(markdown.stdout, /^# group shop/)
  assert.deepEqual([none.code, none.stderr.includes('You have no processes in a group nix on this host.\nGroups: shop (2)')], [4, true], none.stderr)
  assert.deepEqual([both.code, /Pass a pid or --group/.test(both.stderr)], [2, true])
})

test('a URL with --group asks the process there for its group', { timeout: 120_000 }, async t => {
  const { apps: [app], env } = await runGroup(t, 2, { env: { LOOPSCOPE_ADMIN_LISTEN: '127.0.0.1:0' } })
  const url = await app.listenerUrl()
  const ask = group => cli(['list', '--group', group, '--json'], { env })
  assert.equal(JSON.parse((await ask('shop')).stdout).processes.length, 2)
  const stalls = await cli(['stalls', url, '--group', 'shop', '--json'], { env: { ...env, LOOPSCOPE_TOKEN: TOKEN } })
  assert.deepEqual([stalls.code, JSON.parse(stalls.stdout).processes.length], [0, 2])
  const other = await cli(['stalls', url, '--group', 'nix'], { env: { ...env, LOOPSCOPE_TOKEN: TOKEN } })
  assert.deepEqual([other.code, /belongs to the group shop, not to nix/.test(other.stderr)], [2, true])
})

test('a group without an answer is an error with its reason', { timeout: 120_000 }, async t => {
  const { apps: [app], env } = await runGroup(t, 1)
  app.child.kill('SIGSTOP')
  const { code, stderr } = await cli(['stalls', '--group', 'shop'], { env })
  assert.deepEqual([code, stderr.includes(`0 of 1 processes answered; 1 did not: ${app.pid} (no answer in 2.5 s)`)], [7, true], stderr)
})

test('a process without a control socket is in no group, and reports it', { timeout: 120_000 }, async t => {
  const app = await run(t, { env: { LOOPSCOPE_CONTROL_SOCKET: 'off' } })
  const url = await app.listenerUrl()
  for (const route of ['/group', '/group/stalls', '/group/cpu', '/metrics?group=1']) {
    const answer = await get(url + route)
    assert.deepEqual([answer.status, (await answer.json()).code], [503, 'ERR_LOOPSCOPE_NO_GROUP'], route)
  }
})
