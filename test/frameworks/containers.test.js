'use strict'

// What containers and service managers do to a process: process 1, a file system that cannot be written, no home.

const assert = require('node:assert/strict')
const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const test = require('node:test')
const { skipWithout } = require('./installed')
const { makeApplication, start, stallOf, exercise, endingOf, PRELOAD } = require('./environment')

const missing = skipWithout('express')

/** @param {string[]} flags */
function skipWithoutNamespace (...flags) {
  if (missing) return missing
  const { status, error, stderr } = spawnSync('unshare', [...flags, 'true'], { encoding: 'utf8' })
  return status !== 0 && `unshare ${flags.join(' ')} is not allowed here: ${error?.message ?? stderr.trim()}`
}

const IN_NAMESPACE = ['--pid', '--fork', '--mount-proc', '--kill-child']
const ON_READ_ONLY = ['--mount', 'sh', '-c', 'for place in / "$0"; do mount --bind "$place" "$place" && mount -o remount,ro,bind "$place" || exit; done; cd "$1" && shift && exec "$@"', os.tmpdir()]

/**
 * @param {import('node:test').TestContext} t
 * @param {(folder: string) => string[]} through  command and arguments that run what follows
 * @param {Record<string, string | undefined>} env
 */
function run (t, through, env) {
  const folder = makeApplication(t)
  const [command, ...args] = [...through(folder), process.execPath, 'shop.js']
  return start(t, args, { command, cwd: folder, env: { DRAIN: '1', XDG_RUNTIME_DIR: undefined, ...env } })
}

/**
 * @param {ReturnType<typeof start>} app
 * @param {number} [pid]
 */
async function end (app, pid = app.child.pid) {
  process.kill(pid, 'SIGTERM')
  return endingOf(app)
}

/** The end without us. */
async function bareEnding (t, through, env, pidOf = app => app.child.pid) {
  const app = run(t, through, env)
  await app.until(/^listening$/)
  return end(app, pidOf(app))
}

/** What unshare has started, as it is numbered out here. */
function childOf ({ child: { pid } }) {
  return Number(fs.readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8'))
}

test('process 1: stalls, a profile, and it ends as without us', { skip: skipWithoutNamespace(...IN_NAMESPACE) }, async t => {
  const through = () => ['unshare', ...IN_NAMESPACE]
  const bare = await bareEnding(t, through, {}, childOf)
  const app = run(t, through, { NODE_OPTIONS: PRELOAD })
  const { port, pid } = await app.until(/^listening$/)
  assert.equal(pid, 1)
  assert.equal((await stallOf({ ...app, port })).stall.route, 'GET /stall/:id')
  process.kill(childOf(app), 'SIGUSR2')
  const { path } = await app.until(/^SIGUSR2: cpu capture written to/)
  assert.match(fs.readFileSync(path, 'utf8'), /"blockForAWhile"/)
  assert.deepEqual(await end(app, childOf(app)), bare)
})

test('a file system that cannot be written: stalls are reported, captures fail with the reason, and it ends as without us', { skip: skipWithoutNamespace('--mount') }, async t => {
  const through = folder => ['unshare', ...ON_READ_ONLY, folder]
  const bare = await bareEnding(t, through, {})
  const app = run(t, through, { NODE_OPTIONS: PRELOAD })
  const { port, pid } = await app.until(/^listening$/)
  assert.equal((await stallOf({ ...app, port })).stall.route, 'GET /stall/:id')
  process.kill(pid, 'SIGUSR2')
  assert.match((await app.until(/^SIGUSR2: cpu capture failed/)).msg, /EROFS/)
  const warned = app.lines().flatMap(({ code }) => code ?? [])
  assert.deepEqual(warned.sort(), ['LOOPSCOPE_WARN_CONTROL_SOCKET', 'LOOPSCOPE_WARN_STORE'])
  assert.deepEqual(await end(app), bare)
})

test('no HOME: everything works, and it ends as without us', { skip: missing }, async t => {
  const through = () => ['env', '-u', 'HOME']
  const bare = await bareEnding(t, through, {})
  const app = run(t, through, { NODE_OPTIONS: PRELOAD })
  await exercise(app)
  assert.deepEqual(await end(app), bare)
})
