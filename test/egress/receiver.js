'use strict'

// A server as object storage is one: it takes what is put, answers as the test says, and keeps it.

const { once } = require('node:events')
const http = require('node:http')
const { buffer } = require('node:stream/consumers')
const { gunzipSync } = require('node:zlib')

/**
 * @param {import('node:test').TestContext} t
 * @param {object} [how]
 * @param {number} [how.port]
 * @param {(request: http.IncomingMessage, number: number) => number | { status: number, headers: object } | null} [how.answer]  null: never
 */
async function receive (t, { port = 0, answer = () => 200 } = {}) {
  const taken = []
  let requests = 0
  const waiting = new Set()
  const server = http.createServer(async (request, response) => {
    const told = answer(request, ++requests)
    if (told === null) return check()
    const { status, headers = {} } = typeof told === 'number' ? { status: told } : told
    const body = await buffer(request).catch(() => null)
    if (body === null) return
    if (status === 200) taken.push({ url: request.url, headers: request.headers, body: request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body })
    response.writeHead(status, headers).end()
    check()
  })
  const check = () => { for (const one of waiting) one() }
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => stop())

  function stop () {
    server.closeAllConnections()
    server.close()
  }

  /** Resolves when it holds. */
  function until (isTrue) {
    return new Promise(resolve => {
      const one = () => {
        if (!isTrue()) return
        waiting.delete(one)
        resolve()
      }
      waiting.add(one)
      one()
    })
  }
  return { port: server.address().port, taken, until, stop, get requests () { return requests } }
}

module.exports = { receive }
