'use strict'

// Real servers, one for each way in: who is blamed for a slow request.

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const http = require('node:http')
const { once } = require('node:events')
const path = require('node:path')
const { setTimeout: sleep } = require('node:timers/promises')
const { start } = require('../process/child')
const { describeSlow } = require('../../lib/shared/requests/describe')
const { makeShortScratch } = require('../store/scratch')

const APP = path.join(__dirname, '..', 'fixtures', 'slow-requests', 'app.js')
const AWAITS = fs.readFileSync(APP, 'utf8').split('\n').flatMap((line, index) => /await (answer|ROUTES)|waitForTimer = /.test(line) ? [index + 1] : [])
const REGISTER = path.join(__dirname, '..', '..', 'register.js')
const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736'
const HELD_MS = 400

async function serve (t, name) {
  const folder = makeShortScratch(t)
  const app = start(t, [...name === 'plain' ? ['--require', REGISTER] : [], APP, name], { env: { TMPDIR: folder } })
  const { port, pid } = await app.until(/^listening$/)
  const socketPath = path.join(folder, `loopscope-${process.geteuid()}`, 'control', `${pid}.sock`)
  while (!fs.existsSync(socketPath)) await sleep(20)
  return {
    app,
    until: path.join(folder, 'go-on'),
    get: (target, headers = {}) => ask({ host: '127.0.0.1', port, path: target, headers }),
    async slow (route) {
      const { requests } = JSON.parse(await ask({ socketPath, path: '/slow-requests', headers: { host: 'localhost' } }))
      return requests.filter(request => request.route === route)
    }
  }
}

async function ask (options) {
  const [response] = await once(http.get({ ...options, agent: false }), 'response')
  let text = ''
  for await (const chunk of response.setEncoding('utf8')) text += chunk
  return text
}

/** One of each: a request that blocks, one that comes meanwhile, one that waits. */
async function provoke ({ app, until, get }, target, round) {
  const file = `${until}-${round}`
  const blocked = get(`${target}?until=${file}`, { traceparent: `00-${TRACE_ID}-00f067aa0ba902b7-01` })
  while (app.said(/^blocking$/).length === round) await sleep(5)
  const quick = get('/fast')
  await sleep(HELD_MS)
  fs.writeFileSync(file, '')
  assert.deepEqual(await Promise.all([blocked, quick]), ['blocked', 'fast'])
  assert.equal(await get('/timer'), 'waited')
}

/** What the samples say comes a few seconds later. */
async function found ({ slow }, route, isSaid) {
  for (let left = 80; left > 0; left--) {
    const request = (await slow(route)).find(isSaid)
    if (request !== undefined) return request
    await sleep(100)
  }
  return null
}

for (const name of ['express', 'fastify', 'koa', 'plain']) {
  for (const target of ['/block', '/later']) {
    test(`${name}, ${target}: own code, waiting behind another route and waiting for calls are distinguished`, { timeout: 100_000 }, async t => {
      const served = await serve(t, name)
      assert.equal(await served.get('/fast'), 'fast')
      // On a machine that has no processor for us nobody may have been seen at work, or a timer comes late: then once more.
      let [own, behind, waiting] = [null, null, null]
      for (let round = 0; waiting === null; round++) {
        await provoke(served, target, round)
        own = await found(served, `GET ${target}`, ({ ownMs, durationMs }) => ownMs > durationMs / 2)
        behind = own && await found(served, 'GET /fast', ({ behind: [first], behindMs }) => first?.route === `GET ${target}` && first.ms > behindMs / 2)
        waiting = behind && await found(served, 'GET /timer', ({ waitingMs, durationMs }) => waitingMs > durationMs / 2)
      }
      assert.equal(describeSlow(own), 'its own code')
      assert.match(describeSlow(behind), new RegExp(`^waited up to \\d+ ms behind GET ${target}`))
      assert.ok(behind.durationMs >= HELD_MS / 2 && behind.unreadMs >= HELD_MS / 2, JSON.stringify(behind))
      // At which line only where the request was sampled. Fastify awaits what the handler of the fixture returns: then it is the line of that call.
      assert.match(describeSlow(waiting), new RegExp(`^waited for (I/O or a timer|node:timers/promises at \\S+ test/fixtures/slow-requests/app\\.js:(${AWAITS.join('|')})), not for the event loop$`))
      assert.deepEqual([own.status, own.traceId], [200, TRACE_ID])
      assert.equal(waiting.traceId, null)
    })
  }
}
