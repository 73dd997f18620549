'use strict'

// Option threads: the worker threads of a real process are watched, and are otherwise as they were.

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { setTimeout: sleep } = require('node:timers/promises')
const { getControl } = require('../admin/running')
const { cli } = require('../cli/cli')
const { drive, start } = require('../process/child')
const { startBurners } = require('./burners')

const LOOPSCOPE = path.resolve(__dirname, '../..')

async function watched (t, options = { threads: true }) {
  const folder = fs.mkdtempSync('/tmp/ls-')
  t.after(() => fs.rmSync(folder, { recursive: true, force: true }))
  const app = await drive(t, { options, env: { TMPDIR: folder } })
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

/** Two that rest, and one that works for half a second at a time. */
const startJobs = async ({ require }) => {
  const { once } = require('node:events')
  const { Worker } = require('node:worker_threads')
  const jobs = `
    function crunch () { const end = performance.now() + 500; while (performance.now() < end); }
    setInterval(crunch, 1000)
    require('node:worker_threads').parentPort.on('message', () => process.exit(5)).postMessage('works')`
  globalThis.jobs = [new Worker(jobs, { eval: true }), new Worker('setInterval(() => {}, 1000)', { eval: true })]
  await once(globalThis.jobs[0], 'message')
}

test('what a thread does is told: how busy it is, in which function, and its stalls, which are not those of the process', async t => {
  const { run, until, get, socketPath } = await watched(t)
  await run(startJobs)
  const { off, threads, stalls, load } = await until(({ threads, stalls }) => stalls.some(({ culprit, durationMs }) => culprit?.function === 'crunch' && durationMs >= 300) && threads.length === 2)
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

test('without the option nothing is watched, the processor time is told, and there are no such metrics', async t => {
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
