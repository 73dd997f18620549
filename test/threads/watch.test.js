'use strict'

// Option threads: the worker threads of a real process are watched, and are otherwise as they were.

const test = require('node:test')
const assert = require('node:assert/strict')
const path = require('node:path')
const { cli } = require('../cli/cli')
const { start } = require('../process/child')
const { startBurners } = require('./burners')
const { startJobs, watched } = require('./watched')

const LOOPSCOPE = path.resolve(__dirname, '../..')

test('a thread is shown with how busy it is, in which function, and its stalls, which are not those of the process', async t => {
  const { run, until, get, socketPath } = await watched(t)
  await run(startJobs)
  const isNamed = ({ culprit, durationMs }) => culprit?.function === 'crunch' && durationMs >= 300
  // Two: Node.js 20 may name the caller of the one that the profiler began in the midst of.
  const { off, threads, stalls, load } = await until(({ threads, stalls }) => stalls.filter(isNamed).length > 1 && threads.length === 2)
  assert.equal(off, null)
  const [busy, idle] = threads
  assert.deepEqual([busy.top.function, idle.stalls], ['crunch', 0])
  assert.ok(busy.busyMs > idle.busyMs && busy.stalls > 0 && busy.longestMs >= 300, JSON.stringify(busy))
  assert.ok(stalls.every(({ thread, cause }) => thread.name === `worker ${thread.id}` && typeof cause === 'string'), JSON.stringify(stalls))
  if (process.platform === 'linux') assert.ok(load.workerMs > 0)
  assert.ok(JSON.parse(await get('/stalls')).stalls.every(({ culprit }) => culprit?.function !== 'crunch'))
  const { stdout } = await cli(['top', '--socket', socketPath])
  assert.match(stdout, /\nTHREAD +BUSY +LONGEST +STALLS +MOSTLY IN\nworker \d+ +\d+ % .* crunch[^\n]*\nworker \d+ /)
  let metrics
  do metrics = await get('/metrics')
  while (!/^loopscope_thread_stalls_total\{thread="[^"]+"\} [1-9]/m.test(metrics))
  assert.match(metrics, /^loopscope_thread_busy_seconds_total\{thread="[^"]+"\} \d/m)
})

test('a profile of all threads is made beside it, and threads that are ended while they are watched end as they would', async t => {
  const { run, until } = await watched(t)
  await run(startBurners)
  await run(startJobs)
  await until(({ threads }) => threads.length === 4)
  const [names, codes] = await run(async ({ handle, ready, require }) => {
    const { once } = require('node:events')
    await ready()
    const profile = JSON.parse(await (await handle.capture('cpu', { threads: true, seconds: 0.5 })).text())
    const exits = [globalThis.jobs[0], globalThis.burners[0]].map(worker => once(worker, 'exit').then(([code]) => code))
    globalThis.jobs[0].postMessage('end')
    globalThis.burners[0].terminate()
    return [profile.processes.names, await Promise.all(exits)]
  })
  assert.equal(names.length, 5, names.join(', '))
  assert.deepEqual(codes, [5, 1])
  const { threads } = await until(({ threads }) => threads.length === 2)
  assert.ok(threads.every(({ problem }) => problem === null), JSON.stringify(threads))
})

test('without the option nothing is watched, the CPU time is shown, and there are no such metrics', async t => {
  const { get, until } = await watched(t, {})
  const { off, threads } = await until(() => true)
  assert.deepEqual([off, threads], ['option threads is false', []])
  assert.doesNotMatch(await get('/metrics'), /loopscope_thread_/)
})

const SCRIPT = `
const { Worker } = require('node:worker_threads')
const handle = require(${JSON.stringify(LOOPSCOPE)}).createDiagnostics({ threads: true, logger: { info () {}, warn () {}, error () {} }, signals: false, controlSocket: false }).start()
const run = code => new Promise(resolve => new Worker(code, { eval: true }).on('exit', resolve))
`

/** How a process ends that does this. */
async function endOf (t, body) {
  const { code, signal, stdout, stderr } = await start(t, ['-e', `${SCRIPT}\n;(async () => { ${body} })()`], { env: { NODE_TEST_CONTEXT: undefined } }).ended
  return { code, signal, stdout, stderr }
}

test('it keeps no thread and no process alive: both end by themselves, and nothing is printed', async t => {
  const body = "const codes = await Promise.all([run('setTimeout(() => {}, 1600)'), run('setTimeout(() => process.exit(3), 1600)')]); process.exitCode = codes.join('') === '03' ? 7 : 1"
  assert.deepEqual(await endOf(t, body), { code: 7, signal: null, stdout: '', stderr: '' })
})
