'use strict'

const assert = require('node:assert/strict')
const { spawn } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const path = require('node:path')
const test = require('node:test')
const { createStore } = require('../../lib/observer/store/store')
const { makeScratch } = require('./scratch')

const NAME = 'cpu-shop-20261120t120310123z-412-0001.cpuprofile'
const HOUR_MS = 3_600_000

/** Writes half of an artifact, says so and goes no further. */
const HALF_WRITER = `
  const fs = require('node:fs')
  const write = fs.writeSync
  fs.writeSync = (fd, bytes, offset, length) => {
    write(fd, bytes, offset, length / 2)
    write(1, 'half')
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  }
  const { createStore } = require(${JSON.stringify(require.resolve('../../lib/observer/store/store'))})
  createStore({ dir: process.argv[1], retention: { minFreeBytes: 0 } })
    .write({ kind: 'cpu', extension: 'cpuprofile', at: Date.now(), appName: 'shop', bytes: Buffer.alloc(1000) })`

test('kill -9 in the middle of a write leaves no artifact, and the next start clears the rest', async t => {
  const store = createStore({ dir: path.join(makeScratch(t), 'captures') })
  const writer = spawn(process.execPath, ['-e', HALF_WRITER, store.dir], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.after(() => writer.kill('SIGKILL'))
  const [said] = await Promise.race([once(writer.stdout, 'data'), once(writer, 'close')])
  assert.equal(String(said), 'half')
  const [partial] = fs.readdirSync(store.dir)
  assert.match(partial, new RegExp(`\\.${writer.pid}\\.partial$`))
  assert.equal(fs.statSync(path.join(store.dir, partial)).size, 500)
  store.prepare()
  assert.deepEqual(fs.readdirSync(store.dir), [partial], 'a living writer keeps its file')

  writer.kill('SIGKILL')
  await once(writer, 'exit')
  assert.deepEqual(store.list(), [])
  store.prepare()
  assert.deepEqual(fs.readdirSync(store.dir), [])
})

test('distinguishes a partial file of this process from one of its predecessor with the same id', t => {
  const store = createStore({ dir: makeScratch(t) })
  const partial = path.join(store.dir, `${NAME}.${process.pid}.partial`)
  fs.writeFileSync(partial, '')
  store.prepare()
  assert.equal(fs.existsSync(partial), true)
  const beforeStart = Date.now() / 1000 - process.uptime() - 60
  fs.utimesSync(partial, beforeStart, beforeStart)
  store.prepare()
  assert.equal(fs.existsSync(partial), false)
})

test('a partial file nobody touched for an hour goes, though its id is in use again', t => {
  let now = Date.now()
  const store = createStore({ dir: makeScratch(t), now: () => now })
  const partial = path.join(store.dir, `${NAME}.${process.ppid}.partial`)
  fs.writeFileSync(partial, '')
  store.prepare()
  assert.equal(fs.existsSync(partial), true)
  now += HOUR_MS + 60_000
  store.prepare()
  assert.equal(fs.existsSync(partial), false)
})
