'use strict'

const assert = require('node:assert/strict')
const path = require('node:path')
const { pathToFileURL } = require('node:url')
const test = require('node:test')
const { setTimeout: sleep } = require('node:timers/promises')
const { start, fixtures } = require('./child')

const register = require.resolve('../../lib/register')
const app = type => path.join(fixtures, 'preloaded', `app.${type}`)

const DOORS = {
  'node --require': type => ({ args: ['--require', register, app(type)] }),
  'node --import': type => ({ args: ['--import', pathToFileURL(register).href, app(type)] }),
  'NODE_OPTIONS=--require': type => ({ args: [app(type)], env: { NODE_OPTIONS: `--require ${JSON.stringify(register)}` } })
}

/** Starts the application, which has to be asked for things by HTTP. */
async function preload (t, { args, env }) {
  const child = start(t, args, { env })
  const { port } = await child.until(/^listening$/)
  const get = async url => (await fetch(`http://127.0.0.1:${port}${url}`)).text()
  // Before that a stall has neither route nor culprit.
  while (!/component="recorder"\} (?!0$)/m.test(await get('/metrics'))) await sleep(20)
  return { ...child, get }
}

for (const [door, command] of Object.entries(DOORS)) {
  for (const type of ['cjs', 'mjs']) {
    test(`${door} observes an unmodified ${type} application`, async t => {
      const { get, untilFrom, said } = await preload(t, command(type))
      // An application may stall while it starts, too: those have no route.
      const pattern = /^event loop stalled .* in GET \/stall\/:id/
      let asked = 0
      const { stall } = await untilFrom(() => get(`/stall/${++asked}`), pattern)
      assert.equal(stall.route, 'GET /stall/:id')
      assert.ok(stall.durationMs >= 100)
      assert.match(await get('/metrics'), /^loopscope_stalls_total\{.*\} [1-9]/m)
      assert.ok(said(pattern).length <= asked)
    })
  }
}

test('the options come from the environment, SIGUSR2 captures, and threads and children are left alone', async t => {
  const { args } = DOORS['node --require']('cjs')
  const env = { LOOPSCOPE_STALL_THRESHOLD_MS: '200', LOOPSCOPE_APP_NAME: 'shop', NODE_OPTIONS: `--require ${JSON.stringify(register)}` }
  const { child, get, until } = await preload(t, { args: args.slice(2), env })
  assert.deepEqual(JSON.parse(await get('/thread')), { listeners: 0 })
  assert.equal((await get('/child')).trim(), '42')
  child.kill('SIGUSR2')
  await until(/^SIGUSR2: capturing cpu/)
})

test('a wrong or misspelt variable ends the start with a coded error that names it', async t => {
  for (const [name, value, code] of [
    ['LOOPSCOPE_STALL_THRESHOLD_MS', 'soon', 'ERR_LOOPSCOPE_INVALID_OPTION'],
    ['LOOPSCOPE_STALL_TRESHOLD_MS', '100', 'ERR_LOOPSCOPE_UNKNOWN_OPTION']
  ]) {
    const { ended } = start(t, DOORS['node --require']('cjs').args, { env: { [name]: value } })
    const { code: exitCode, stderr } = await ended
    assert.notEqual(exitCode, 0)
    assert.match(stderr, new RegExp(`${code}[^]*${name}`))
  }
})
