'use strict'

// Under a parent that speaks as PM2 does: figures come, and every action is answered.

const assert = require('node:assert/strict')
const fs = require('node:fs')
const test = require('node:test')
const { startUnderPm2, triggerUntil } = require('./fake-pm2')

const SERVICE = `
const { pbkdf2Sync } = require('node:crypto')
const handle = createDiagnostics({ logger, stallThresholdMs: 50 }).start()
function hold () {
  const untilMs = performance.now() + 200
  while (performance.now() < untilMs) pbkdf2Sync('password', 'salt', 20_000, 64, 'sha512')
}
const timer = setInterval(hold, 1000)
process.on('SIGHUP', async () => {
  clearInterval(timer)
  await handle.close()
  process.send('closed')
  setInterval(() => {}, 1000)
})
`
const NAMES = ['loopscope:cpu', 'loopscope:why', 'loopscope:heap-profile']

const skip = process.platform === 'win32' && 'the application is told by a signal'

test('at the start it has the rows of `pm2 describe` and the actions', async t => {
  const app = startUnderPm2(t, SERVICE)
  const { data } = await app.heard(({ type }) => type === 'axm:monitor')
  assert.deepEqual(Object.keys(data), ['Loop delay p99', 'Loop utilisation', 'Stalls', 'Blocked', 'Finding'])
  assert.deepEqual(data.Stalls, { value: 0, unit: '/min', type: 'loopscope', historic: true })
  assert.deepEqual(app.messages.filter(({ type }) => type === 'axm:action').map(({ data }) => data.action_name), NAMES)
})

test('after a stall the rows show it, and what is wrong', async t => {
  const app = startUnderPm2(t, SERVICE)
  const { data } = await app.heard(({ type, data }) => type === 'axm:monitor' && data.Stalls.value > 0 && !/nothing stalled/.test(data.Finding.value))
  assert.ok(data['Loop delay p99'].value > 0 && data['Loop utilisation'].value > 0 && data.Blocked.value > 0, JSON.stringify(data))
})

test('cpu says where the file is and what was hot, why what is wrong; with a parameter as without', async t => {
  const app = startUnderPm2(t, SERVICE)
  const isHot = ({ hot }) => hot?.some(line => /pbkdf2Sync .*, called by hold app\.js:\d+$/.test(line))
  const { action_name: name, at, return: { path, bytes } } = await triggerUntil(app, { msg: 'loopscope:cpu', opts: 'x', name: 'api' }, isHot)
  assert.equal(name, 'loopscope:cpu')
  assert.ok(Math.abs(Date.now() - at) < 60_000)
  assert.equal(fs.statSync(path).size, bytes)
  const { return: { process: facts, findings } } = await triggerUntil(app, 'loopscope:why', ({ findings }) => findings.some(line => line.includes('pbkdf2Sync')))
  assert.match(facts, new RegExp(`\\(pid ${app.child.pid}\\)`))
  for (const finding of findings) assert.match(finding, /^(CRITICAL|WARNING|NOTE): .* Fix: /)
})

test('an action under way when the application closes is answered for all callers, and so is a later one', { skip }, async t => {
  const app = startUnderPm2(t, SERVICE)
  await triggerUntil(app, 'loopscope:cpu', ({ path }) => path !== undefined)
  const from = app.messages.length
  for (const name of ['loopscope:heap-profile', 'loopscope:heap-profile', 'loopscope:why', 'application']) app.child.send(name)
  const replies = () => app.messages.slice(from).filter(({ type }) => type === 'axm:reply').map(({ data }) => data)
  await app.heard(({ type, data }) => type === 'axm:reply' && data.action_name === 'loopscope:why', from) // so all have come
  app.child.kill('SIGHUP')
  await app.heard(message => message === 'closed')
  await app.heard(() => replies().length === 3, from)
  assert.deepEqual(replies().map(({ action_name: name }) => name), ['loopscope:why', 'loopscope:heap-profile', 'loopscope:heap-profile'])
  assert.deepEqual(replies()[1].return, replies()[2].return)
  assert.equal(replies()[1].return.code, 'ERR_LOOPSCOPE_OBSERVER_LOST')
  for (const name of NAMES) assert.equal((await app.trigger(name)).return.code, 'ERR_LOOPSCOPE_NOT_RUNNING')
})

test('where nothing is recorded, that is the answer', async t => {
  const app = startUnderPm2(t, SERVICE, { env: { LOOPSCOPE_RECORDER: 'off' } })
  assert.equal((await app.trigger('loopscope:cpu')).return.code, 'ERR_LOOPSCOPE_RECORDER_OFF')
})

test('a missing answer is replaced by an error', async t => {
  const source = `
    const { Pm2Link } = require(${JSON.stringify(require.resolve('../../lib/api/pm2/pm2-link'))})
    const delay = { bounds: [1], counts: [0], count: 0, sum: 0 }
    new Pm2Link(50).add({
      read: () => ({ delay, recentMaxMs: 0, utilization: 0, stalls: [] }),
      findings: () => new Promise(() => {}),
      capture: () => { throw new Error('no disk') }
    })
    setInterval(() => {}, 1000)`
  const app = startUnderPm2(t, source)
  await app.heard(({ type }) => type === 'axm:monitor')
  assert.deepEqual((await app.trigger('loopscope:why')).return, { error: 'no answer within 0.05 s' })
  assert.deepEqual((await app.trigger('loopscope:cpu')).return, { error: 'no disk' })
})
