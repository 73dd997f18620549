'use strict'

const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const test = require('node:test')
const { skipWithout, commandOf } = require('./installed')
const { makeApplication, start, stallOf, endingOf, eventually, PRELOAD } = require('./environment')

const POLLS_A_CHANGE = 100

const skip = skipWithout('nodemon', 'express')

/**
 * @param {import('node:test').TestContext} t
 * @param {Record<string, string>} env
 */
async function startNodemon (t, env) {
  const folder = makeApplication(t)
  const app = start(t, [commandOf('nodemon'), 'shop.js'], { cwd: folder, env })
  const { port, pid } = await app.until(/^listening$/)
  return { ...app, folder, port, pid }
}

/** A changed file makes nodemon restart it, by SIGUSR2; then both are ended. */
async function restartAndEnd (app) {
  let polls = 0
  await eventually(() => {
    // Now and then: nodemon waits until the changes are over, and may not have begun to look for them.
    if (polls++ % POLLS_A_CHANGE === 0) fs.appendFileSync(path.join(app.folder, 'shop.js'), '\n')
    return app.said(/^listening$/).length > 1
  })
  app.child.kill('SIGINT')
  const { stdout, ...ending } = await endingOf(app)
  // How often it was restarted depends on when nodemon saw the change.
  return { ...ending, stdout: [...new Set(stdout.split('\n'))].sort() }
}

for (const [door, env] of [['middleware', { DOOR: 'middleware' }], ['preload', { NODE_OPTIONS: PRELOAD }]]) {
  test(`nodemon, ${door}: stalls are reported, the signal is left to nodemon, and it restarts and ends as without us`, { skip }, async t => {
    const bare = await restartAndEnd(await startNodemon(t, {}))
    const app = await startNodemon(t, env)
    const { stall } = await stallOf(app)
    assert.deepEqual({ route: stall.route, file: stall.culprit.file }, { route: 'GET /stall/:id', file: 'shop.js' })
    const skipped = app.lines().filter(({ code, pid }) => code === 'LOOPSCOPE_WARN_SIGNAL_SKIPPED' && pid === app.pid)
    assert.equal(skipped.length, process.platform === 'linux' ? 1 : 0)
    assert.deepEqual(await restartAndEnd(app), bare)
  })
}
