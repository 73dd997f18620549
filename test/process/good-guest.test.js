'use strict'

// A program with diagnostics ends, prints and writes as it does without.

const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const test = require('node:test')
const { makeScratch } = require('../store/scratch')
const { drive, start } = require('./child')

const register = require.resolve('../../lib/register')
// A preload that waits would do nothing in processes as short as these.
const AT_ONCE = { LOOPSCOPE_START_AT_ONCE: 'true', NODE_TEST_CONTEXT: undefined }
const preload = { NODE_OPTIONS: `--require ${JSON.stringify(register)}`, ...AT_ONCE }

test('twenty handles in a process listen to a signal once, and the oldest one that is left answers it', { skip: process.platform === 'win32' && 'Windows has no SIGUSR2' }, async t => {
  const app = await drive(t)
  const listeners = await app.run(async ({ handle, createDiagnostics }) => {
    globalThis.heard = []
    const loggerOf = index => ({ info: (fields, message) => globalThis.heard.push(`${index} ${message}`), warn () {}, error () {} })
    globalThis.others = Array.from({ length: 20 }, (_, index) => createDiagnostics({ logger: loggerOf(index) }).start())
    await handle.close()
    await globalThis.others[0].close()
    return process.listenerCount('SIGUSR2')
  })
  assert.equal(listeners, 1)
  app.child.kill('SIGUSR2')
  const heard = await app.run(async () => {
    const said = () => globalThis.heard.filter(line => line.includes('SIGUSR2'))
    while (said().length === 0) await new Promise(setImmediate)
    return said()
  })
  assert.deepEqual(heard, ['1 SIGUSR2: capturing cpu'])
  await app.run(() => Promise.all(globalThis.others.map(other => other.close())))
  assert.equal(await app.run(() => process.listenerCount('SIGUSR2')), 0)
  await app.run(() => { setImmediate(() => process.exit()) })
  assert.doesNotMatch((await app.ended).stderr, /MaxListenersExceededWarning/)
})

test('a first request does not have Node.js load fetch()', async t => {
  const app = await drive(t)
  const loaded = await app.run(async ({ require }) => {
    const http = require('node:http')
    const server = http.createServer((request, response) => response.end())
    await new Promise(resolve => server.listen(0, '127.0.0.1', resolve))
    await new Promise(resolve => http.get({ port: server.address().port, host: '127.0.0.1' }, response => response.resume().on('end', resolve)))
    server.close()
    return process.moduleLoadList.filter(name => /undici/.test(name))
  })
  assert.deepEqual(loaded, [])
})

for (const stream of ['stdout', 'stderr']) {
  test(`a program whose ${stream} nobody reads any more ends with 0, with a preload as without`, async t => {
    const source = `
      process.once('message', () => {
        console.${stream === 'stdout' ? 'log' : 'error'}('to nobody')
        setTimeout(() => process.disconnect(), 200)
      })
      process.send('ready')`
    for (const env of [{ NODE_OPTIONS: undefined }, preload]) {
      const { child, ended } = start(t, ['-e', source], { env, stdio: ['ipc'] })
      await new Promise(resolve => child.once('message', resolve))
      child[stream].destroy()
      child.send('go')
      const { code, signal } = await ended
      assert.deepEqual({ code, signal }, { code: 0, signal: null })
    }
  })
}

test('nothing is synced to the disk at the end of a program without a log line', async t => {
  const telling = path.join(makeScratch(t), 'telling.js')
  fs.mkdirSync(path.dirname(telling), { recursive: true })
  fs.writeFileSync(telling, `
    const fs = require('node:fs')
    for (const name of ['fsync', 'fsyncSync']) {
      const original = fs[name]
      fs[name] = (...values) => {
        fs.writeSync(1, name)
        return original(...values)
      }
    }`)
  const { code, stdout } = await start(t, ['--require', telling, '--require', register, '-e', 'setTimeout(() => {}, 100)'], { env: AT_ONCE }).ended
  assert.deepEqual({ code, stdout }, { code: 0, stdout: '' })
})

for (const [what, file, create] of [
  ['', '../../lib/shared/default-logger', 'makeLogger'],
  [' of a preload', '../../lib/api/diagnostics', 'createLazyLogger']
]) {
  test(`the first log line${what} adds no listener for the end of the process`, async t => {
    const source = `
      const logger = require(${JSON.stringify(require.resolve(file))}).${create}({ fd: 2 })
      const count = () => process.listenerCount('exit') + process.listenerCount('beforeExit')
      const before = count()
      logger.warn('a first line')
      console.log(count() - before)`
    const { code, stdout, stderr } = await start(t, ['-e', source], { env: AT_ONCE }).ended
    assert.deepEqual({ code, stdout }, { code: 0, stdout: '0\n' })
    assert.match(stderr, /a first line/)
  })
}

test('a process that ends at once loads neither node:crypto nor node:v8', async t => {
  const telling = path.join(makeScratch(t), 'telling.js') // what is passed with -e has Node.js load node:crypto
  fs.writeFileSync(telling, 'console.log(process.moduleLoadList.filter(name => /^NativeModule (crypto|v8)$/.test(name)).join())')
  const { code, stdout } = await start(t, ['--require', register, telling], { env: AT_ONCE }).ended
  assert.deepEqual({ code, stdout }, { code: 0, stdout: '\n' })
})

test('a process that ends at once loads neither pino nor the metrics client; one that lives has both, if its application declares the client', async t => {
  const source = `
    const loaded = () => ['prom-client', 'pino'].filter(name => require.cache[require.resolve(name)] !== undefined).join()
    console.log('at once: ' + loaded())
    if (process.argv[1] === 'lives') {
      const waiting = setInterval(() => {
        if (loaded() !== 'prom-client,pino') return
        console.log('both')
        clearInterval(waiting)
      }, 5)
    }`
  for (const [life, expected] of [['ends', 'at once: \n'], ['lives', 'at once: \nboth\n']]) {
    const { code, stdout } = await start(t, ['--require', register, '-e', source, life], { cwd: __dirname, env: AT_ONCE }).ended
    assert.deepEqual({ code, stdout }, { code: 0, stdout: expected })
  }
})
