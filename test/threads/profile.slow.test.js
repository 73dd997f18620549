'use strict'

// CPU profiles with the worker threads of a real process.

const test = require('node:test')
const assert = require('node:assert/strict')
const path = require('node:path')
const { checkRequest } = require('../../lib/shared/captures/kinds')
const { drive, start } = require('../process/child')
const { captureThreads, startBurners } = require('./burners')

const LOOPSCOPE = path.resolve(__dirname, '../..')

/** How many samples each thread has in functions of that name. */
const countIn = ({ nodes, samples, processes }, wanted) => {
  const ids = new Set(nodes.filter(({ callFrame }) => wanted(callFrame.functionName)).map(({ id }) => id))
  const counts = processes.names.map(() => 0)
  samples.forEach((id, index) => { if (ids.has(id)) counts[processes.samples[index]]++ })
  return counts
}

test('the main thread and all workers are in one profile, and each sample has its thread', async t => {
  const { run } = await drive(t)
  await run(startBurners)
  const profile = JSON.parse(await run(captureThreads, { seconds: 1 }))
  const { names, of } = profile.processes
  assert.equal(of, 'thread')
  assert.equal(names[0], 'main thread')
  assert.equal(names.length, 3, names.join(', '))
  assert.equal(names.filter(name => /^worker \d+ resize$/.test(name)).length, 1, names.join(', '))
  const [main, ...workers] = countIn(profile, name => /^(pbkdf2Sync|run)$/.test(name))
  assert.equal(main, 0)
  assert.ok(workers.every(count => count > 5), workers.join(', '))
})

test('the text report has a table of threads', async t => {
  const { run } = await drive(t)
  await run(startBurners)
  const text = await run(captureThreads, { seconds: 0.5, format: 'text' })
  assert.match(text, / of 3 threads in /)
  assert.match(text, /\[Threads\]: time by thread/)
  assert.match(text, /worker \d+ resize +\S/)
  assert.match(text, /pbkdf2Sync/)
})

test('a worker that ends meanwhile is mentioned, a new one is in the profile, and one that waits or burns without end delays nothing', async t => {
  const { run } = await drive(t)
  await run(startBurners)
  const text = await run(async ({ handle, ready, require }) => {
    const { Worker } = require('node:worker_threads')
    await ready()
    globalThis.stuck = [
      new Worker('Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)', { eval: true, name: 'waits' }),
      new Worker('(function endless () { for (;;); })()', { eval: true, name: 'endless' })
    ]
    const capture = handle.capture('cpu', { threads: true, seconds: 2, format: 'text' })
    setTimeout(() => globalThis.burners[0].terminate(), 1000)
    const artifact = await capture
    await Promise.all([...globalThis.stuck, globalThis.burners[1]].map(worker => worker.terminate()))
    return artifact.text()
  })
  assert.match(text, /Note: 1 of \d worker threads ended meanwhile, and what ran in them is not in it: worker \d+ resize/)
  assert.match(text, /worker \d+ endless +\S/)
})

const SCRIPT = `
const { Worker } = require('node:worker_threads')
const handle = require(${JSON.stringify(LOOPSCOPE)}).createDiagnostics({ logger: { info () {}, warn () {}, error () {} }, signals: false, controlSocket: false }).start()
const burners = [1, 2].map(() => new Worker('(function burn () { for (let i = 0; i < 1e7; i++); setImmediate(burn) })()', { eval: true }))
const capture = seconds => handle.capture('cpu', { threads: true, seconds })
async function ready () {
  while (!await handle.capture('cpu', { seconds: 0.05 }).then(() => true, () => false));
}
`

/** How a process ends that does this with its workers. */
async function endOf (t, body) {
  const { code, signal, stdout, stderr } = await start(t, ['-e', `${SCRIPT}\nready().then(async () => { ${body} })`], { env: { NODE_TEST_CONTEXT: undefined } }).ended
  return { code, signal, stdout, stderr }
}

test('nothing is left behind: the process ends by itself, and prints nothing', async t => {
  const body = 'await capture(0.2); await Promise.all(burners.map(burner => burner.terminate()))'
  assert.deepEqual(await endOf(t, body), { code: 0, signal: null, stdout: '', stderr: '' })
})

test('a process that ends in the middle of a recording ends as it would', async t => {
  const body = 'capture(60).catch(() => {}); setTimeout(() => process.exit(7), 300)'
  assert.deepEqual(await endOf(t, body), { code: 7, signal: null, stdout: '', stderr: '' })
})

test('one recording at a time, and a capture that is given up ends it', async t => {
  const { run } = await drive(t)
  const codes = await run(async ({ handle, ready }) => {
    await ready()
    const stop = new AbortController()
    const first = handle.capture('cpu', { threads: true, seconds: 60, signal: stop.signal }).catch(({ code }) => code)
    const second = await handle.capture('cpu', { threads: true, seconds: 60 }).catch(({ code }) => code)
    stop.abort()
    return [await first, second, await handle.capture('cpu', { threads: true, seconds: 0.2, format: 'text' }).then(artifact => artifact.text())]
  })
  assert.deepEqual(codes.slice(0, 2), ['ERR_LOOPSCOPE_CAPTURE_CANCELLED', 'ERR_LOOPSCOPE_THREADS_BUSY'])
  assert.match(codes[2], /Note: there are no worker threads/)
})

test('threads have no past and no routes', () => {
  for (const [options, named] of [[{}, 'seconds'], [{ last: 10 }, 'last'], [{ seconds: 1, last: 10 }, 'last'], [{ seconds: 1, route: 'GET /' }, 'route'], [{ seconds: 1, threads: 1 }, 'threads']]) {
    assert.throws(() => checkRequest('cpu', { threads: true, ...options }), { code: 'ERR_LOOPSCOPE_INVALID_OPTION', message: new RegExp(`^capture options\\.${named} must be `) })
  }
  assert.equal(checkRequest('cpu', { threads: true, seconds: 1 }).threads, true)
  assert.equal('threads' in checkRequest('cpu', { seconds: 1 }), false)
})
