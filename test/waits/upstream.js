'use strict'

// A server whose answers take as long as their path says, `/40`: headers at once, and the body after that time, or all of it then, `/40/late`. Others: `/bad` is
// answered with status 503, `/busy` with 429, `/none` with 404, `/gone` not at all. It counts what it was asked.

const assert = require('node:assert/strict')
const http = require('node:http')
const { once } = require('node:events')
const { listen } = require('../http/listening')

const STATUS = { bad: 503, busy: 429, none: 404 }

/** @param {import('node:test').TestContext} t */
async function startUpstream (t) {
  const seen = { requests: 0, connections: 0, ms: 0 }
  const server = http.createServer((request, response) => {
    seen.requests++
    request.resume()
    const startMs = performance.now()
    response.on('finish', () => { seen.ms += performance.now() - startMs })
    const [, ms, isLate] = request.url.split('/')
    if (ms === 'gone') return request.socket.destroy()
    if (ms in STATUS) return response.writeHead(STATUS[ms]).end()
    if (!isLate) response.write('a')
    setTimeout(() => response.end('b'), Number(ms))
  })
  server.on('connection', () => seen.connections++)
  const port = await listen(t, server)
  const close = async () => {
    server.closeAllConnections()
    if (server.listening) await once(server.close(), 'close')
  }
  return { seen, port, url: path => `http://127.0.0.1:${port}${path}`, target: `127.0.0.1:${port}`, close }
}

/** Of three requests of 100 ms on one connection two wait for it, which is no part of their calls. */
async function assertOneAtATime ({ ask, waits, counted }, { seen, target }) {
  await ask()
  const { [`http GET ${target}`]: wait, [`http acquire ${target}`]: acquire } = await waits()
  assert.deepEqual([wait.calls, acquire.calls, acquire.errors], [3, 2, 0])
  assert.ok(acquire.ms >= 190, String(acquire.ms))
  const { [`http GET ${target}`]: call, [`http pool ${target}`]: pool } = await counted()
  assert.deepEqual([call.calls, pool.calls, seen.requests], [3, 2, 3])
  assert.ok(pool.ms >= 290 && call.ms >= seen.ms * 0.9 && call.ms < seen.ms + pool.ms / 2, `${pool.ms}, ${call.ms}, the server took ${seen.ms}`)
}

module.exports = { assertOneAtATime, startUpstream }
