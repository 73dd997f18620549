'use strict'

// `loopscope profile --group` and its like, as a user gives them.

const test = require('node:test')
const assert = require('node:assert/strict')
const { execFileSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { cli } = require('../cli/cli')
const { recorded } = require('../admin/running')
const { runGroup } = require('./grouped')

test('a group is one profile, or an archive of one file of each process that answers', { timeout: 120_000 }, async t => {
  const { apps, env, folder } = await runGroup(t, 2)
  for (const { url } of apps) await recorded(`${url}/diagnostics`)
  const pids = apps.map(({ pid }) => pid)

  const text = await cli(['profile', '--group', 'shop', '--last', '10'], { env })
  assert.equal(text.code, 0, text.stderr)
  assert.match(text.stdout, /^CPU profile of shop: 2 of 2 processes$/m)

  const heap = await cli(['heap', '--group', 'shop', '--kind', 'profile', '--seconds', '0.2'], { env })
  assert.match(heap.stdout, /^heap profile of shop: 2 of 2 processes$/m, heap.stderr)

  const metrics = await cli(['metrics', '--group', 'shop'], { env })
  for (const pid of pids) assert.match(metrics.stdout, new RegExp(`^loopscope_up\\{pid="${pid}".*\\} 1$`, 'm'), metrics.stderr)

  apps[1].child.kill('SIGKILL')
  const file = path.join(folder, 'shop.tar.gz')
  const each = await cli(['profile', '--group', 'shop', '--each', '-o', file], { env })
  assert.equal(each.code, 0, each.stderr)
  execFileSync('tar', ['xzf', file, '-C', folder])
  const { processes } = JSON.parse(fs.readFileSync(path.join(folder, 'index.json'), 'utf8'))
  assert.deepEqual(processes.filter(({ file }) => file !== null).map(({ pid, file }) => [pid, file]), [[pids[0], `cpu-${pids[0]}.cpuprofile`]])
  assert.ok(JSON.parse(fs.readFileSync(path.join(folder, processes[0].file), 'utf8')).nodes.length > 0)
})

for (const [args, wanted] of [
  [['profile', '1', '--group', 'shop'], /Pass a pid or --group, not both/],
  [['profile', '1', '--each'], /--each needs --group/],
  [['heap', '1', '--group', 'shop'], /cannot be combined with a pid or a URL/]
]) {
  test(`refused: ${args.join(' ')}`, async () => {
    const { code, stderr } = await cli([...args, '-o', '/dev/null'], { env: { TMPDIR: '/nonexistent' } })
    assert.match(stderr, wanted)
    assert.notEqual(code, 0)
  })
}
