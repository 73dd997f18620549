'use strict'

// Predictions of a real process: the sign is right, on every surface.

const assert = require('node:assert/strict')
const { execFile, fork } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const http = require('node:http')
const os = require('node:os')
const path = require('node:path')
const { after, before, describe, it } = require('node:test')
const { setTimeout: sleep } = require('node:timers/promises')
const { promisify } = require('node:util')

const BIN = path.join(__dirname, '../../bin/loopscope.js')
const SECONDS = 10

describe('what if, of a real process', () => {
  let child, port, dir
  const agent = new http.Agent({ keepAlive: true })

  const ask = async (call, options) => {
    child.send({ call, options })
    const [answer] = await once(child, 'message')
    if (answer.error !== undefined) throw Object.assign(new Error(answer.error), { code: answer.error })
    return answer.value
  }
  const request = url => new Promise((resolve, reject) => {
    http.get({ host: '127.0.0.1', port, path: url, agent }, response => response.resume().on('end', resolve)).on('error', reject)
  })

  before(async () => {
    dir = fs.mkdtempSync(path.join(os.tmpdir(), 'loopscope-what-if-'))
    child = fork(path.join(__dirname, 'lock-app.js'), [dir], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
    ;[{ port }] = await once(child, 'message')
    const sent = []
    const endMs = performance.now() + SECONDS * 1e3
    for (let count = 0; performance.now() < endMs; count++) {
      sent.push(request('/fast'))
      if (count % 24 === 0) sent.push(request('/slow'))
      await sleep(12)
    }
    await Promise.all(sent)
  })

  after(async () => {
    agent.destroy()
    child.kill()
    await once(child, 'exit')
    fs.rmSync(dir, { recursive: true, force: true })
  })

  const isRefused = ({ reason }) => /for a CPU|does not give what was measured/.test(reason ?? '')

  it('of a route: less of it makes the others faster, more makes them slower', async t => {
    const { measured, prediction, isStale } = await ask('whatIf', { route: 'GET /slow' })
    assert.equal(isStale, false)
    assert.deepEqual(measured.map(({ route }) => route).sort(), ['GET /fast', 'GET /slow'])
    assert.equal(prediction.change, 'removed')
    if (isRefused(prediction)) return t.skip(prediction.reason) // the machine has other work
    assert.equal(prediction.reason, null)
    const fast = prediction.routes.find(({ route }) => route === 'GET /fast')
    assert.ok(fast.p95Ms.high < fast.p95Ms.now, JSON.stringify(fast))
    assert.ok(prediction.maxSpeedUp > 1.5)
    const { prediction: twice } = await ask('whatIf', { route: 'GET /slow', scale: 2 })
    if (isRefused(twice)) return t.skip(twice.reason)
    assert.equal(twice.reason, null)
    const slower = twice.routes.find(({ route }) => route === 'GET /fast')
    assert.ok(slower.p95Ms.expected > slower.p95Ms.now, JSON.stringify(slower))
  })

  it('of a finding', async t => {
    const { findings } = await ask('findings')
    const { prediction } = findings.find(({ id, where }) => id.startsWith('hot-') && where?.file.endsWith('lock-app.js'))
    if (isRefused(prediction)) return t.skip(prediction.reason)
    const fast = prediction.routes.find(({ route }) => route === 'GET /fast')
    assert.ok(fast.p95Ms.high < fast.p95Ms.now, JSON.stringify(fast))
  })

  it('is what the command line prints', async () => {
    const run = promisify(execFile)
    const { stdout } = await run(process.execPath, [BIN, 'what-if', String(child.pid), '--route', 'GET /slow'])
    assert.match(stdout, /^if GET \/slow took nothing on the event loop\n(no prediction: |ROUTE +REQUESTS +NOW)/)
    const { stdout: json } = await run(process.execPath, [BIN, 'what-if', String(child.pid), '--route', 'GET /slow', '--scale', '0.25', '--json'])
    assert.equal(JSON.parse(json).scale, 0.25)
    await assert.rejects(run(process.execPath, [BIN, 'what-if', String(child.pid)]), /--route is missing/)
    await assert.rejects(run(process.execPath, [BIN, 'what-if', String(child.pid), '--route', 'GET /slow', '--scale', '11']), /--scale must be from 0 to 10/)
  })

  it('refuses what it does not understand', async () => {
    await assert.rejects(ask('whatIf', {}), { code: 'ERR_LOOPSCOPE_INVALID_OPTION' })
    await assert.rejects(ask('whatIf', { route: 'GET /', scale: -1 }), { code: 'ERR_LOOPSCOPE_INVALID_OPTION' })
    await assert.rejects(ask('whatIf', { route: 'GET /', other: 1 }), { code: 'ERR_LOOPSCOPE_UNKNOWN_OPTION' })
  })
})
