'use strict'

// What takes the watching of worker threads away from us for a while: a debugger, and the loss of the observer.

const test = require('node:test')
const { once } = require('node:events')
const { WebSocket } = require('ws')
const { startJobs, watched } = require('./watched')

// Not who is at work: V8 may not name a function whose loop it has compiled before a profiler starts again.
const isWatched = ({ off, threads }) => off === null && threads.length === 2 && threads.every(({ problem }) => problem === null) && threads[0].stalls > 0
const OF_LINUX = { skip: process.platform === 'linux' ? false : 'only Linux tells who is connected' }

/** Runs in the application: started anew, so that the observer's thread is known. */
async function startAnew ({ handle }) {
  await handle.close()
  const started = new Promise(resolve => process.once('worker', resolve))
  handle.start()
  globalThis.observer = await started
}

/** Runs in the application: resolves when there is the next one. */
async function loseObserver () {
  const startedAgain = new Promise(resolve => process.once('worker', resolve))
  await globalThis.observer.terminate()
  await startedAgain
}

test('threads are let go while a debugger is connected; they are watched again after it, and by the observer that takes the place of a lost one', OF_LINUX, async t => {
  const { run, get, until } = await watched(t, { threads: true }, ['--inspect=127.0.0.1:0'])
  const answers = async () => { while (await get('/threads').catch(() => null) === null); } // its socket is there with an observer
  await run(startAnew)
  await answers()
  await run(startJobs)
  await until(isWatched)

  const client = new WebSocket(await run(({ require }) => require('node:inspector').url()))
  t.after(() => client.terminate())
  await once(client, 'open')
  await until(({ off, threads }) => /a debugger is connected/.test(off) && threads.length === 0)
  client.close()
  await until(isWatched)

  await run(loseObserver)
  await answers()
  await until(isWatched)
})
