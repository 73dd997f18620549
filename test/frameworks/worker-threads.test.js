'use strict'

const assert = require('node:assert/strict')
const test = require('node:test')
const { skipWithout } = require('./installed')
const { makeApplication, start, exercise, stallOf, endingOf, eventually, PRELOAD } = require('./environment')

const skip = skipWithout('express')

// The main thread serves, and a thread computes; or the application itself is in the thread.
const BESIDE = `
const { Worker } = require('node:worker_threads')
const thread = new Worker('const { parentPort, workerData } = require("node:worker_threads"); parentPort.on("message", () => parentPort.postMessage(process.listenerCount("SIGUSR2")))', { eval: true })
thread.on('message', count => console.log(JSON.stringify({ msg: 'of the thread', count })))
thread.postMessage('count')
process.on('SIGTERM', () => thread.terminate())
require('./shop')
`
const INSIDE = `
const { Worker } = require('node:worker_threads')
const thread = new Worker(require.resolve('./shop'))
process.on('SIGTERM', async () => process.exit(await thread.terminate()))
`

async function run (t, source, env) {
  const folder = makeApplication(t, { files: { 'main.js': source } })
  return start(t, ['main.js'], { cwd: folder, env: { DRAIN: '1', ...env } })
}

async function end (app) {
  app.child.kill('SIGTERM')
  const { stdout, ...ending } = await endingOf(app)
  return { ...ending, stdout: stdout.split('\n').sort() }
}

/** Until both have said what they say. */
async function startBeside (t, env) {
  const app = await run(t, BESIDE, env)
  await eventually(() => app.said(/^(listening|of the thread)$/).length === 2)
  return app
}

test('worker threads: the main thread is observed by the preload, its threads are left alone', { skip }, async t => {
  const bare = await end(await startBeside(t, {}))
  const app = await startBeside(t, { NODE_OPTIONS: PRELOAD })
  await exercise(app)
  assert.equal(app.said(/^of the thread$/)[0].count, 0)
  assert.deepEqual(await end(app), bare)
})

// Where V8's profiler is to be had without the inspector.
const HAS_BUILTIN = typeof require('node:v8').startCpuProfile === 'function'

test('worker threads: an application in a thread has stalls with routes, and culprits or one warning that says why not', { skip }, async t => {
  const bareApp = await run(t, INSIDE, { DRAIN: '' })
  await bareApp.until(/^listening$/)
  const bare = await end(bareApp)
  const app = await run(t, INSIDE, { DOOR: 'middleware', DRAIN: '' })
  const { port } = await app.until(/^listening$/)
  assert.equal((await stallOf({ ...app, port }, HAS_BUILTIN ? {} : { culprit: null })).stall.route, 'GET /stall/:id')
  if (!HAS_BUILTIN) await app.until(/^the recorder is off: this is not the main thread/)
  assert.deepEqual(await end(app), bare)
})
