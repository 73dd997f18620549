'use strict'

// A process whose worker threads are watched, with two of them, and its answers to /threads.

const fs = require('node:fs')
const path = require('node:path')
const { setTimeout: sleep } = require('node:timers/promises')
const { getControl } = require('../admin/running')
const { drive } = require('../process/child')
const { makeShortScratch } = require('../store/scratch')

/**
 * @param {import('node:test').TestContext} t
 * @param {object} [options]
 * @param {string[]} [execArgv]
 */
async function watched (t, options = { threads: true }, execArgv = []) {
  const folder = makeShortScratch(t)
  const app = await drive(t, { options, execArgv, env: { TMPDIR: folder } })
  const socketPath = path.join(folder, `loopscope-${process.geteuid()}`, 'control', `${app.child.pid}.sock`)
  while (!fs.existsSync(socketPath)) await sleep(20)
  const get = async target => (await getControl(socketPath, target)).text
  return { ...app, socketPath, get, until: until(async () => JSON.parse(await get('/threads'))) }
}

/** Asks until the answer is as wanted. */
const until = ask => async isWanted => {
  let answer
  do answer = await ask()
  while (!isWanted(answer))
  return answer
}

/**
 * One that rests, and one that works for half a second at a time. Its function is compiled anew each time: V8 may forget the name of one whose loop it
 * is just about to optimize when the profiler starts (seen on Node.js 20), for as long as that code is used.
 */
const startJobs = async ({ require }) => {
  const { once } = require('node:events')
  const { Worker } = require('node:worker_threads')
  const jobs = `
    const { runInThisContext } = require('node:vm')
    const crunch = '(function crunch () { const end = performance.now() + 500; while (performance.now() < end); })'
    let made = 0
    setInterval(() => runInThisContext(crunch + '// ' + made++, '/app/crunch.js')(), 1000)
    require('node:worker_threads').parentPort.on('message', () => process.exit(5)).postMessage('works')`
  globalThis.jobs = [new Worker(jobs, { eval: true }), new Worker('setInterval(() => {}, 1000)', { eval: true })]
  await once(globalThis.jobs[0], 'message')
}

module.exports = { startJobs, watched }
