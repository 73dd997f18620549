'use strict'

// A sampler of awaits with a request context of its own, without a server.

const { createRequestContext } = require('../../lib/probe/http/contexts/one-request')
const { RouteContext } = require('../../lib/probe/http/contexts/route-context')
const { AwaitSampler } = require('../../lib/probe/waits/await-sampler')
const { monotonicMicros } = require('../../lib/base/monotonic')

/** @param {import('node:test').TestContext} t */
function createSampling (t) {
  const context = new RouteContext()
  context.start()
  const sampler = new AwaitSampler({ context })
  t.after(() => {
    sampler.stop()
    context.stop()
  })
  return {
    sampler,
    /** Runs a handler as that of a request. */
    async serve (handler, { isAnswered = true, isOwn = false, agoMicros = 0 } = {}) {
      const micros = monotonicMicros() - agoMicros
      const request = createRequestContext({ method: 'GET', url: '/', headers: {} }, micros, micros)
      await context.run(request, async () => {
        sampler.onRequest()
        if (isOwn) sampler.forget(request)
        await handler()
      })
      if (isAnswered) sampler.end(request, 'GET /', monotonicMicros())
    }
  }
}

module.exports = { createSampling }
