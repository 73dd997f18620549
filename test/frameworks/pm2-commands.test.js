'use strict'

const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { describe, test } = require('node:test')
const { isAlive } = require('../../lib/base/system/process-ids')
const { skipWithout } = require('./installed')
const { eventually, stallOf, REGISTER } = require('./environment')
const { startPm2 } = require('./under-pm2')

const skip = skipWithout('pm2', 'express')

const FIGURES = ['Loop delay p99', 'Loop utilisation', 'Stalls', 'Blocked', 'Finding']
const ACTIONS = ['loopscope:cpu', 'loopscope:why', 'loopscope:heap-profile']

/** The answers that `pm2 trigger` prints, by the number of the process. */
async function trigger ({ pm2 }, ...words) {
  const { stdout } = await pm2('trigger', 'shop', ...words)
  return new Map([...stdout.matchAll(/^\[shop:(\d+):default\]=(.*)$/gm)].map(([, id, answer]) => [Number(id), JSON.parse(answer)]))
}

/** What `pm2 trigger` fails with. */
async function refusal ({ pm2 }, ...words) {
  const { stdout, stderr } = await pm2('trigger', ...words).then(() => assert.fail(`${words} was answered`), error => error)
  return stdout + stderr
}

/** Each process has the rows and the actions, and one of them has stalled. */
async function untilTold (app, processes) {
  return eventually(async () => {
    const told = (await app.list()).map(({ pm2_env: { axm_monitor: figures, axm_actions: actions } }) => ({ figures, names: actions.map(({ action_name: name }) => name) }))
    const isTold = ({ figures, names }) => FIGURES.every(name => figures[name] !== undefined) && ACTIONS.every(name => names.includes(name))
    const hasStalled = ({ figures }) => figures.Stalls.value > 0 && figures.Blocked.value > 0 && figures['Loop delay p99'].value > 0
    return told.length === processes && told.every(isTold) && told.some(hasStalled) && told
  }, () => app.readLog('daemon'))
}

/** Each action is answered by each process. */
async function assertAnswered (app, processes) {
  const cpu = await eventually(async () => {
    const answers = [...(await trigger(app, 'loopscope:cpu')).values()]
    return answers.length === processes && answers.every(({ path, hot }) => path !== undefined && hot.length > 0) && answers
  })
  for (const { path: file, bytes } of cpu) assert.deepEqual([fs.statSync(file).size, path.extname(file)], [bytes, '.cpuprofile'])
  const why = await trigger(app, 'loopscope:why', 'a-parameter')
  assert.equal(why.size, processes)
  for (const { process: facts, findings } of why.values()) assert.ok(/^shop \(pid \d+\)/.test(facts) && findings.length > 0, facts)
  const heap = await trigger(app, 'loopscope:heap-profile')
  assert.equal(heap.size, processes)
  for (const { path: file, bytes } of heap.values()) assert.equal(fs.statSync(file).size, bytes)
}

const WAYS = {
  'fork mode': { args: [], processes: 1, isWithIo: true },
  'fork mode, without @pm2/io': { args: ['--no-pmx'], processes: 1, isWithIo: false },
  'cluster mode, two workers': { args: ['-i', '2'], processes: 2, isWithIo: true },
  'cluster mode, two workers, preloaded': { args: ['-i', '2', '--node-args', `--require ${REGISTER}`], processes: 2, isWithIo: true, env: {} }
}

// Side by side: most of the time is the ten seconds of a heap profile.
describe('pm2 describe and pm2 trigger', { concurrency: true }, () => {
  for (const [way, { args, processes, isWithIo, env = { DOOR: 'middleware' } }] of Object.entries(WAYS)) {
    test(`${way}: figures are shown, actions answered, also after a reload, and nothing is left`, { skip }, async t => {
      const app = await startPm2(t, args, env, processes)
      await stallOf(app)
      const [{ figures, names }] = await untilTold(app, processes)
      assert.equal(figures['Used Heap Size'] !== undefined && names.includes('km:heapdump'), isWithIo)
      const { stdout } = await app.pm2('describe', 'shop')
      for (const name of [...FIGURES, ...ACTIONS]) assert.match(stdout, new RegExp(`│ ${name} +│`))
      await assertAnswered(app, processes)
      assert.match(await refusal(app, 'shop', 'loopscope:none'), /Not any process has received/)
      assert.match(await refusal(app, '0', 'loopscope:none'), /Action doesn't exist loopscope:none/)

      const before = (await app.list()).map(({ pid }) => pid)
      await app.pm2('reload', 'shop')
      const after = await eventually(async () => {
        const pids = (await app.list()).map(({ pid }) => pid)
        return pids.length === processes && pids.every(pid => pid > 0 && !before.includes(pid)) && app.said(/^listening$/).filter(({ pid }) => pids.includes(pid)).length === processes && pids
      })
      await stallOf({ ...app, port: app.said(/^listening$/).find(({ pid }) => pid === after[0]).port })
      await untilTold(app, processes)
      await assertAnswered(app, processes)

      const daemon = Number(fs.readFileSync(path.join(app.home, 'pm2.pid'), 'utf8'))
      assert.ok(isAlive(daemon))
      await app.pm2('kill')
      await eventually(() => ![daemon, ...before, ...after].some(isAlive))
    })
  }
})
