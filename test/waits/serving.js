'use strict'

// An application under loopscope for the tests of this folder: one handler, what was counted, and where its slow requests waited.

const http = require('node:http')
const net = require('node:net')
const diagnostics = require('../..')
const { listen } = require('../http/listening')

const SILENT = { info () {}, warn () {}, error () {}, debug () {} }

/**
 * @param {import('node:test').TestContext} t
 * @param {(() => unknown) | null} handler  of each request (null: it follows, as `handler` of what is answered), which is answered once it is done, and after 60 ms: it is slow by then
 */
async function serve (t, handler, options = {}) {
  const served = { handler }
  const d = diagnostics({ logger: SILENT, controlSocket: false, ...options })
  t.after(() => d.close())
  const server = http.createServer((request, response) => d(request, response, async () => {
    await Promise.allSettled([served.handler(), new Promise(resolve => setTimeout(resolve, 60))])
    response.end()
  }))
  const port = await listen(t, server)
  return Object.assign(served, {
    d,
    /** Asks over a socket of its own, so that the client is no call of the application to be counted. */
    async ask () {
      const socket = net.connect(port, '127.0.0.1')
      socket.write('GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n')
      for await (const chunk of socket) if (!String(chunk).startsWith('HTTP/1.1 200')) throw new Error(`answered ${chunk}`)
    },
    /** @returns what the slowest request waited for, by name */
    async waits (count = 1) {
      let found = []
      while (found.length < count) found = await d.slowRequests() // the response is done a moment after the client has it
      return Object.fromEntries(found[0].waits.map(({ kind, operation, target, ...rest }) => [`${kind} ${operation} ${target}`, rest]))
    },
    /** @returns what was counted, by name */
    async counted () {
      const found = {}
      const note = (/** @type {string} */ name, figures) => { found[name] = { ...found[name], ...figures } }
      for (const { name, values } of await d.registry.getMetricsAsJSON()) {
        for (const { metricName, labels: { kind, operation, target }, value } of values) {
          if (name === 'loopscope_dependency_errors_total') note(`${kind} ${operation} ${target}`, { errors: value })
          if (metricName === 'loopscope_dependency_seconds_count') note(`${kind} ${operation} ${target}`, { calls: value })
          if (metricName === 'loopscope_dependency_seconds_sum') note(`${kind} ${operation} ${target}`, { ms: value * 1e3 })
          if (metricName === 'loopscope_dependency_pool_wait_seconds_count') note(`${kind} pool ${target}`, { calls: value })
          if (metricName === 'loopscope_dependency_pool_wait_seconds_sum') note(`${kind} pool ${target}`, { ms: value * 1e3 })
        }
      }
      delete found[`net connect 127.0.0.1:${server.address().port}`] // of ask()
      return found
    }
  })
}

module.exports = { serve, SILENT }
