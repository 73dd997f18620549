'use strict'

// Containers with a volume for the sockets: processes of namespaces of their own, both of them process 1, are one group.

const test = require('node:test')
const assert = require('node:assert/strict')
const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { get, TOKEN } = require('../admin/running')
const { cli } = require('../cli/cli')
const { start } = require('../process/child')
const { until } = require('./grouped')

const APP = path.join(__dirname, '..', 'fixtures', 'admin', 'app.js')
const NAMESPACE = ['--pid', '--fork', '--mount-proc', '--kill-child']
const { status, error, stderr } = spawnSync('unshare', [...NAMESPACE, 'true'], { encoding: 'utf8' })
const skip = status !== 0 && `unshare is not allowed here: ${error?.message ?? stderr.trim()}`

test('processes of two process namespaces that share a directory of sockets are one group', { skip, timeout: 60_000 }, async t => {
  const folder = fs.mkdtempSync('/tmp/ls-')
  t.after(() => fs.rmSync(folder, { recursive: true, force: true, maxRetries: 10 }))
  const env = { LOOPSCOPE_TOKEN: TOKEN, TMPDIR: folder, LOOPSCOPE_GROUP: 'shop', LOOPSCOPE_ADMIN_LISTEN: 'off' }
  const begin = () => start(t, [...NAMESPACE, process.execPath, APP], { command: 'unshare', env })
  const apps = [begin(), begin()]
  const listening = await Promise.all(apps.map(app => app.until(/^listening$/)))
  assert.deepEqual(listening.map(({ pid }) => pid), [1, 1])
  const overviewOf = async ({ port }) => (await get(`http://127.0.0.1:${port}/diagnostics/group`)).json()
  for (const one of listening) {
    let overview
    await until(async () => {
      overview = await overviewOf(one)
      return overview.complete && overview.processes.length === 2
    })
    assert.equal(new Set(overview.processes.map(({ id }) => id)).size, 2)
  }
  // A member that does not answer in time counts as down.
  await until(async () => {
    const { code, stdout } = await cli(['list', '--group', 'shop', '--json'], { env: { TMPDIR: folder, XDG_RUNTIME_DIR: '' } })
    const { members } = JSON.parse(stdout)
    assert.deepEqual([code, members.map(({ pid }) => pid)], [0, [1, 1]])
    return members.every(({ up }) => up)
  })
  await until(async () => /^loopscope_up\{pid="1"\} 1$/m.test(await (await get(`http://127.0.0.1:${listening[0].port}/diagnostics/metrics?group=1`)).text()))

  apps[1].child.kill('SIGKILL')
  await until(async () => (await overviewOf(listening[0])).processes.length === 1)
})
