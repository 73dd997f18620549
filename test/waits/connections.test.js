'use strict'

// Names that are looked up, connections as they are opened, child processes.

const test = require('node:test')
const assert = require('node:assert/strict')
const net = require('node:net')
const { execFile, fork } = require('node:child_process')
const { once } = require('node:events')
const { promisify } = require('node:util')
const { serve } = require('./serving')
const { startUpstream } = require('./upstream')

/** Looks names up as slowly as the test wants. */
const lookupAfter = (ms, error = null) => (host, options, callback) => {
  setTimeout(() => options.all ? callback(error, [{ address: '127.0.0.1', family: 4 }]) : callback(error, '127.0.0.1', 4), ms)
}

/** @param {net.NetConnectOpts} options */
async function connect (options) {
  const socket = net.connect(options)
  try {
    await once(socket, 'connect')
  } finally {
    socket.destroy()
  }
}

test('the lookup of a name and the connection are apart, the connection by that name', async t => {
  const { port } = await startUpstream(t)
  const { ask, waits, counted } = await serve(t, async () => {
    await connect({ port, host: 'slow.example', lookup: lookupAfter(100) })
    await connect({ port, host: '127.0.0.1' })
  })
  await ask()
  const { 'dns lookup slow.example': lookup, [`net connect slow.example:${port}`]: named, [`net connect 127.0.0.1:${port}`]: numbered } = await waits()
  assert.deepEqual([lookup.calls, lookup.errors, named.calls, numbered.calls], [1, 0, 1, 1])
  assert.ok(lookup.ms > 0)
  // Less the time in which the loop was busy, that is; here nothing is left out.
  const { 'dns lookup slow.example': counts } = await counted()
  assert.ok(counts.calls === 1 && counts.ms >= 95, String(counts.ms))
})

test('a name that is not found and a port that nobody listens at are errors, thrown where they were before', async t => {
  const thrown = []
  const { ask, counted } = await serve(t, async () => {
    await connect({ port: 9, host: 'no.example', lookup: lookupAfter(5, Object.assign(new Error('no'), { code: 'ENOTFOUND' })) }).catch(error => thrown.push(error.code))
    await connect({ port: 1, host: '127.0.0.1' }).catch(error => thrown.push(error.code))
  })
  await ask()
  assert.deepEqual(thrown, ['ENOTFOUND', 'ECONNREFUSED'])
  const { 'dns lookup no.example': lookup, 'net connect 127.0.0.1:1': refused } = await counted()
  assert.deepEqual([lookup, refused].map(({ calls, errors }) => [calls, errors]), [[1, 1], [1, 1]])
})

test('a socket is left with no listener of ours once it is connected', async t => {
  const { port } = await startUpstream(t)
  const left = []
  const { ask } = await serve(t, async () => {
    const socket = net.connect({ port, host: '127.0.0.1' })
    await once(socket, 'connect')
    left.push(...['lookup', 'connectionAttempt', 'connect', 'close', 'error'].filter(event => socket.listenerCount(event) > 0))
    socket.destroy()
  })
  await ask()
  assert.deepEqual(left, [])
})

test('a child process lasts until it ends, and has the name of its file; one that is forked is a worker, and left out', async t => {
  const run = promisify(execFile)
  const { ask, waits, counted } = await serve(t, async () => {
    await run(process.execPath, ['-e', 'setTimeout(() => {}, 100)', 'secret'])
    await run(process.execPath, ['-e', 'process.exit(3)']).catch(() => {})
    await run('/no/such/file').catch(() => {})
    await once(fork(process.execPath, ['-e', '0'], { execPath: process.execPath, execArgv: ['-e', 'process.exit()'] }), 'exit')
  })
  await ask()
  const name = 'process spawn node'
  const { [name]: wait, ...others } = await waits()
  assert.deepEqual([wait.calls, wait.errors, others], [2, 1, {}])
  const { [name]: counts, ...uncounted } = await counted()
  assert.deepEqual(uncounted, {})
  assert.ok(counts.ms >= 95, String(counts.ms))
})
