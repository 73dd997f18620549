'use strict'

const assert = require('node:assert/strict')
const os = require('node:os')
const test = require('node:test')
const { skipWithout } = require('./installed')
const { makeApplication, start, exercise, stallOf, endingOf, REGISTER } = require('./environment')

const FLAGS = process.allowedNodeEnvironmentFlags
const PERMISSION = [FLAGS.has('--permission') ? '--permission' : '--experimental-permission', '--allow-fs-read=*', `--allow-fs-write=${os.tmpdir()}/*`, ...(FLAGS.has('--allow-net') ? ['--allow-net'] : [])]
const skip = skipWithout('express')

/**
 * @param {import('node:test').TestContext} t
 * @param {string[]} flags
 * @param {string} [door]
 */
function run (t, flags, door = '') {
  return start(t, [...PERMISSION, ...flags, 'shop.js'], { cwd: makeApplication(t), env: { DRAIN: '1', DOOR: door, XDG_RUNTIME_DIR: undefined } })
}

async function end (app) {
  app.child.kill('SIGTERM')
  return endingOf(app)
}

/** The end without us, with what Node.js has to say of the flags. */
async function bareEnding (t, flags) {
  const app = run(t, flags)
  await app.until(/^listening$/)
  return end(app)
}

const EVERYTHING = ['--allow-worker', '--allow-inspector']
const WORKER = ['--allow-worker']

test('permission model with --allow-worker and --allow-inspector: everything works', { skip: skip || (!FLAGS.has('--allow-inspector') && 'this Node has no --allow-inspector') }, async t => {
  const bare = await bareEnding(t, EVERYTHING)
  const app = run(t, [...EVERYTHING, '--require', REGISTER])
  await exercise(app)
  assert.deepEqual(codesOf(app), [])
  assert.deepEqual(await end(app), bare)
})

// Where V8's profiler is to be had without the inspector.
const HAS_BUILTIN = typeof require('node:v8').startCpuProfile === 'function'

test('permission model with --allow-worker: stalls have routes, and culprits or one warning that the recorder is off', { skip }, async t => {
  const bare = await bareEnding(t, WORKER)
  const app = run(t, WORKER, 'middleware')
  await stallWithRoute(app, HAS_BUILTIN ? {} : { culprit: null })
  assert.deepEqual(codesOf(app), HAS_BUILTIN ? [] : ['LOOPSCOPE_WARN_RECORDER_UNAVAILABLE'])
  assert.deepEqual(await end(app), bare)
})

test('permission model with neither: stalls have routes, and one warning says that the observer is missing', { skip }, async t => {
  const bare = await bareEnding(t, [])
  const app = run(t, [], 'middleware')
  await stallWithRoute(app)
  assert.deepEqual(codesOf(app), ['LOOPSCOPE_WARN_OBSERVER_UNAVAILABLE'])
  assert.deepEqual(await end(app), bare)
})

async function stallWithRoute (app, expected = { culprit: null }) {
  const { port } = await app.until(/^listening$/)
  assert.equal((await stallOf({ ...app, port }, expected)).stall.route, 'GET /stall/:id')
}

function codesOf (app) {
  return app.lines().flatMap(({ code }) => code ?? [])
}
