'use strict'

const assert = require('node:assert/strict')
const os = require('node:os')
const v8 = require('node:v8')
const test = require('node:test')
const { drive } = require('../process/child')

const flags = process.allowedNodeEnvironmentFlags
const permission = [flags.has('--permission') ? '--permission' : '--experimental-permission', '--allow-fs-read=*', `--allow-fs-write=${os.tmpdir()}/*`]

/** What was logged, and how a capture ends. */
async function outcome (t, allow) {
  const app = await drive(t, { execArgv: [...permission, ...allow] })
  const result = await app.run(async ({ handle }) => {
    for (;;) {
      const code = await handle.capture('cpu', { seconds: 0.2 }).then(() => 'ok', ({ code }) => code)
      if (code !== 'ERR_LOOPSCOPE_EMPTY_VIEW') return code // of a machine that others keep busy
    }
  })
  const delays = await app.run(async ({ handle }) => {
    while (handle.delay().count < 5) await new Promise(resolve => setTimeout(resolve, 10))
    return (await handle.registry.metrics()).includes('nodejs_eventloop')
  })
  return { result, delays, warned: app.lines().flatMap(({ code }) => code ?? []) }
}

test('without --allow-worker there is no observer, which one warning reports, and the loop is still measured', async t => {
  assert.deepEqual(await outcome(t, []), {
    result: 'ERR_LOOPSCOPE_OBSERVER_LOST',
    delays: true,
    warned: ['LOOPSCOPE_WARN_OBSERVER_UNAVAILABLE']
  })
})

test('with --allow-worker the profiler without an inspector records; where there is none, one warning reports it and the loop is still measured', async t => {
  const hasBuiltin = typeof v8.startCpuProfile === 'function'
  assert.deepEqual(await outcome(t, ['--allow-worker']), {
    result: hasBuiltin ? 'ok' : 'ERR_LOOPSCOPE_RECORDER_OFF',
    delays: true,
    warned: hasBuiltin ? [] : ['LOOPSCOPE_WARN_RECORDER_UNAVAILABLE']
  })
})

test('with --allow-inspector everything works and nothing is warned of', async t => {
  if (!flags.has('--allow-inspector')) return t.skip('this Node has no --allow-inspector')
  assert.deepEqual(await outcome(t, ['--allow-worker', '--allow-inspector']), { result: 'ok', delays: true, warned: [] })
})
