'use strict'

const assert = require('node:assert/strict')
const test = require('node:test')
const { Signals } = require('../../lib/api/signals')
const { drive } = require('./child')

const skip = process.platform === 'win32' ? 'Windows has no SIGUSR2' : false

test('a handler of the application keeps working beside loopscope\'s', { skip }, async t => {
  const app = await drive(t)
  await app.run(() => { process.on('SIGUSR2', () => console.log(JSON.stringify({ msg: 'own handler' }))) })
  app.child.kill('SIGUSR2')
  await app.until(/^own handler$/)
  await app.until(/^SIGUSR2: capturing/)
  await app.run(({ handle }) => handle.close())
  assert.equal(await app.run(() => process.listenerCount('SIGUSR2')), 1)
})

test('close() takes the handler away: the signal ends the process again', { skip }, async t => {
  const app = await drive(t)
  await app.run(({ handle }) => handle.close())
  app.child.kill('SIGUSR2')
  assert.equal((await app.ended).signal, 'SIGUSR2')
})

test('signals: false listens to none', { skip }, async t => {
  const app = await drive(t, { options: { signals: false } })
  assert.equal(await app.run(() => process.listenerCount('SIGUSR2')), 0)
})

test('under nodemon, which restarts with SIGUSR2, there is no handler and the log names the other door', { skip: process.platform !== 'linux' && 'needs /proc' }, async t => {
  const through = args => ['sh', ['-c', '"$@" & wait', 'nodemon', process.execPath, ...args]]
  const app = await drive(t, { through })
  assert.equal(await app.run(() => process.listenerCount('SIGUSR2')), 0)
  const warnings = app.lines().filter(({ code }) => code === 'LOOPSCOPE_WARN_SIGNAL_SKIPPED')
  assert.match(warnings.map(({ msg }) => msg).join('\n'), /^no handler for SIGUSR2: nodemon .*diagnostics\.capture\(\)$/)
  await app.run(() => { setImmediate(() => process.exit()) })
})

test('a parent that only has a file or a folder called nodemon in its command is none', { skip: process.platform !== 'linux' && 'needs /proc' }, async t => {
  const through = args => ['sh', ['-c', '"$@" & wait', 'nodemon.json', process.execPath, ...args, '/srv/nodemon/app.js']]
  const app = await drive(t, { through })
  assert.equal(await app.run(() => process.listenerCount('SIGUSR2')), 1)
  await app.run(() => { setImmediate(() => process.exit()) })
})

test('a signal that this system does not have is reported, and not listened to', () => {
  const signal = process.platform === 'win32' ? 'SIGUSR1' : 'SIGBREAK'
  const warnings = []
  new Signals({ signals: { [signal]: 'cpu' }, logger: { warn: (fields, text) => warnings.push(text) } }).start()
  assert.deepEqual(warnings, [`no handler for ${signal}: ${process.platform} has no such signal. Captures are still possible with diagnostics.capture()`])
  assert.equal(process.listenerCount(signal), 0)
})
