'use strict'

const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const test = require('node:test')
const { drive } = require('../process/child')
const { cli } = require('./cli')

/** A folder of control sockets with nobody else's. */
function makeHome (t) {
  const home = fs.mkdtempSync('/tmp/ls-')
  t.after(() => fs.rmSync(home, { recursive: true, force: true, maxRetries: 5 }))
  return { XDG_RUNTIME_DIR: home, TMPDIR: home }
}

async function startNamed (t, env, options) {
  const app = await drive(t, { options, env })
  await app.run(async ({ ready }) => { await ready() })
  const file = path.join(env.XDG_RUNTIME_DIR, 'loopscope', 'control', `${app.child.pid}.json`)
  while (!fs.existsSync(file)) await new Promise(resolve => setTimeout(resolve, 20))
  return app.child.pid
}

test('a name stands for a pid wherever one does; several processes, or none, are an error with what there is', async t => {
  const env = makeHome(t)
  const pid = await startNamed(t, env, { appName: 'api' })
  const [first, second] = [await startNamed(t, env, { appName: 'worker', group: 'pool' }), await startNamed(t, env, { appName: 'worker', group: 'pool' })]
  const run = args => cli(args, { env })

  for (const command of ['why', 'stalls', 'requests', 'memory']) {
    const { code, stdout, stderr } = await run([command, 'api', '--json'])
    assert.equal(code, 0, `${command}: ${stderr}`)
    assert.ok(JSON.parse(stdout) !== null)
  }
  assert.equal(JSON.parse((await run(['why', 'api', '--json'])).stdout).pid, pid)

  const several = await run(['stalls', 'worker'])
  assert.equal(several.code, 2)
  const pids = [first, second].sort((left, right) => left - right).join(', ')
  assert.match(several.stderr, new RegExp(`2 processes are called worker: ${pids}\\.\\nPass one of their pids, or --group pool`))
  assert.match((await run(['stalls', 'pool'])).stderr, /2 processes are called pool/)

  const unknown = await run(['stalls', 'apii'])
  assert.equal(unknown.code, 3)
  assert.match(unknown.stderr, new RegExp(`No process is called apii\\. Did you mean api\\?\\nNames: api \\(${pid}\\), pool \\(${pids}\\), worker \\(${pids}\\)\\. An address begins with http://`))

  const { stdout } = await run(['completion', '--processes'])
  assert.deepEqual(stdout.trim().split('\n').sort(), ['api', 'pool', 'worker', String(pid), String(first), String(second)].sort())
})

test('what has a scheme, a port, a path or a dot is an address', async t => {
  const env = makeHome(t)
  for (const address of ['http://127.0.0.1:9', '127.0.0.1:9', 'localhost:9/diagnostics']) assert.equal((await cli(['stalls', address], { env })).code, 7, address)
  assert.match((await cli(['stalls', 'no-such-host.invalid'], { env })).stderr, /There is no (host|route to) no-such-host\.invalid|No answer/)
  const nobody = await cli(['stalls', '@shop/api'], { env })
  assert.equal(nobody.code, 3)
  assert.match(nobody.stderr, /No process is called @shop\/api: none of your processes can be reached/)
})
