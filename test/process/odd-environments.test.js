'use strict'

// Whatever a process is started in, and whatever its application does to JavaScript, it runs and ends as it does without loopscope.

const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const test = require('node:test')
const { makeScratch } = require('../store/scratch')
const { start } = require('./child')

const register = require.resolve('../../lib/register')
const env = { LOOPSCOPE_START_AT_ONCE: 'true' }

/** @param {import('node:test').TestContext} t @param {string} name @param {string} source */
function writeFile (t, name, source) {
  const file = path.join(makeScratch(t), name)
  fs.mkdirSync(path.dirname(file), { recursive: true })
  fs.writeFileSync(file, source)
  return file
}

/** An application that says that it runs, blocks until that was reported, and ends. */
const BLOCKING = `
  const blocking = setInterval(() => {
    const fromNanos = process.hrtime.bigint()
    while (process.hrtime.bigint() - fromNanos < 200_000_000n);
  }, 500)
  process.once('message', () => { clearInterval(blocking) })`

test('a process whose working directory was removed reports its stalls', { skip: process.platform === 'win32' && 'it cannot be removed there' }, async t => {
  const application = writeFile(t, 'application.js', BLOCKING)
  const gone = path.join(makeScratch(t), 'gone')
  const starting = writeFile(t, 'start.js', `
    const fs = require('node:fs')
    fs.mkdirSync(${JSON.stringify(gone)}, { recursive: true })
    process.chdir(${JSON.stringify(gone)})
    fs.rmdirSync(${JSON.stringify(gone)})`)
  const app = start(t, ['--require', starting, '--require', register, application], { env, stdio: ['ipc'] })
  await app.until(/^event loop stalled/) // without a thread: Node.js starts none in such a folder
  app.child.send('end')
  const { code, stdout } = await app.ended
  assert.deepEqual([code, stdout], [0, ''])
})

// What earlier preloads do to what JavaScript and Node.js have, of which only loopscope's start takes notice.
const CHANGES = {
  'a Map that throws': 'Map.prototype.get = () => { throw new Error("changed") }',
  'process.on() that throws': 'process.on = () => { throw new Error("changed") }',
  'properties of all objects': 'Object.prototype.get = () => 1',
  'a process.argv that is gone': 'process.argv = undefined'
}

for (const [what, change] of Object.entries(CHANGES)) {
  test(`an application that is started with ${what} runs as it does without a preload`, async t => {
    const changing = writeFile(t, 'changing.js', change)
    const { code, stdout } = await start(t, ['--require', changing, '--require', register, '-e', 'process._rawDebug("runs"); process.exitCode = 3'], { env }).ended
    assert.deepEqual([code, stdout], [3, ''])
  })
}

test('hooks of promises throw nothing into the application', async t => {
  const application = writeFile(t, 'application.js', `
    const http = require('node:http')
    const { createDiagnostics } = require(${JSON.stringify(require.resolve('../..'))})
    const handle = createDiagnostics({ waits: true }).start()
    const server = http.createServer(async (request, response) => {
      await new Promise(resolve => setTimeout(resolve, 1))
      response.end()
    }).listen(0, '127.0.0.1', async () => {
      const ask = () => new Promise(resolve => http.get(server.address(), response => response.resume().on('end', resolve)))
      const { get } = WeakMap.prototype
      for (let asked = 0; asked < 1500; asked++) {
        if (asked === 300) WeakMap.prototype.get = () => { throw new Error('changed') }
        await ask()
      }
      WeakMap.prototype.get = get
      server.close()
      await handle.close()
      console.log('done')
    })`)
  const { code, stdout } = await start(t, [application], { env }).ended
  assert.deepEqual([code, stdout.split('\n').at(-2)], [0, 'done'])
})
