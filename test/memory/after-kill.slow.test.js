'use strict'

// An application that ran into its container's memory limit, or V8's, and was started again: what filled the memory is in the first answer.

const assert = require('node:assert/strict')
const { spawn } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const http = require('node:http')
const path = require('node:path')
const test = require('node:test')
const { setTimeout: sleep } = require('node:timers/promises')
const { cli } = require('../cli/cli')
const { createMemoryGroup, joining } = require('../heap/snapshot-app')
const { makeScratch } = require('../store/scratch')

const APP = path.join(__dirname, 'keeping-app.js')
const WARM_UP_MS = 4000 // growth in the first ten seconds may be the start
const TIMES_A_SECOND = 10

const group = createMemoryGroup(300, '-after-kill')
const skip = 'reason' in group && group.reason
test.after(() => group.remove?.())

/** The line of the application that keeps what the route is sent. @param {string} name */
const lineOf = name => fs.readFileSync(APP, 'utf8').split('\n').findIndex(text => text.endsWith(`// ${name}`)) + 1

/**
 * @param {string} dir  of the store
 * @param {{ folder?: string, heapMegabytes?: number }} [limits]
 */
async function start (dir, { folder, heapMegabytes = 1000 } = {}) {
  const options = { dir, appName: 'shop', retention: { minFreeBytes: 0 } }
  const args = [`--max-old-space-size=${heapMegabytes}`, APP, JSON.stringify(options)]
  const [command, ...all] = folder === undefined ? [process.execPath, ...args] : joining(folder, args)
  const child = spawn(command, all, { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] })
  const [{ port }] = await once(child, 'message')
  return { child, port }
}

/**
 * @param {number} port
 * @param {string} url
 * @param {number} bytes
 */
function post (port, url, bytes) {
  return new Promise(resolve => {
    const request = http.request({ port, host: '127.0.0.1', path: url, method: 'POST', agent: false }, response => response.resume().on('close', resolve))
    request.on('error', resolve)
    request.end(Buffer.alloc(bytes, 1))
  })
}

/** Sends requests until the process is dead. */
async function fill ({ child, port }, url, bytes) {
  await sleep(WARM_UP_MS)
  while (child.exitCode === null && child.signalCode === null) await Promise.all([post(port, url, bytes), sleep(1000 / TIMES_A_SECOND)])
  return child.signalCode
}

/** What a user sees of the process that was started again. */
async function askAfter (t, dir) {
  const { child } = await start(dir)
  t.after(() => child.kill())
  child.send({})
  const [{ findings }] = await once(child, 'message') // the observer answers
  const { code, stdout, stderr } = await cli(['why', String(child.pid)])
  assert.equal(code, 0, stderr)
  return { stdout, finding: findings.find(({ id }) => id === 'memory-report') }
}

test('killed at the limit of its container: the next process names the owner, the line that keeps it and the route', { skip }, async t => {
  const dir = makeScratch(t)
  const first = await start(dir, { folder: group.folder })
  assert.equal(await fill(first, '/upload', 400e3), 'SIGKILL')
  const { stdout, finding } = await askAfter(t, dir)
  assert.match(finding.title, new RegExp(`^The process before this one \\(pid ${first.child.pid}\\) had its container's memory \\d+ % full .+: \\d+ MB of it Buffers, probably kept at .+keeping-app\\.js:${lineOf('upload')} for POST /upload\\.$`))
  assert.equal(finding.severity, 'warning')
  assert.equal(finding.where.route, 'POST /upload')
  assert.ok(stdout.includes(`keeping-app.js:${lineOf('upload')}`), stdout)
})

test('dead at the limit of V8: likewise, with the line that keeps the objects', async t => {
  const dir = makeScratch(t)
  const first = await start(dir, { heapMegabytes: 150 })
  assert.equal(await fill(first, '/cart', 0), 'SIGABRT')
  const { stdout, finding } = await askAfter(t, dir)
  assert.match(finding.title, new RegExp(`^The process before this one \\(pid ${first.child.pid}\\) had its heap \\d+ % full .+: \\d+ MB of \\d+ MB, probably kept at .+keeping-app\\.js:${lineOf('cart')} for POST /cart\\.$`))
  assert.ok(stdout.includes(`keeping-app.js:${lineOf('cart')}`), stdout)
})
