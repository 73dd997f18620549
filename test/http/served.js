'use strict'

// An application on a port of its own for one test, with the parts under test wired as diagnostics wires them.

const http = require('node:http')
const { RouteContext } = require('../../lib/probe/http/contexts/route-context')
const { createRequestDurations } = require('../../lib/api/http/request-durations')
const { createMiddleware } = require('../../lib/api/http/middleware')
const { listen } = require('./listening')

const frameworks = { 'express 5': require('express'), 'express 4': require('express4') }

function createParts ({ stallThresholdMs = 100, context = new RouteContext(), ...options } = {}) {
  const logged = []
  const logger = { warn: (fields, message) => { logged.push({ ...fields, message }) } }
  const requests = createRequestDurations()
  const middleware = createMiddleware({ context, requests, logger, stallThresholdMs, ...options })
  context.start()
  return { context, requests, middleware, logger, logged }
}

/** Serves the listener until the test is over; stops the context, too. */
async function serve (t, listener, { context } = {}) {
  const server = http.createServer(listener)
  const port = await listen(t, server)
  t.after(() => context?.stop())
  const url = `http://127.0.0.1:${port}`
  return {
    port,
    async get (path, options) {
      const response = await fetch(url + path, options)
      return { status: response.status, text: await response.text() }
    }
  }
}

/** The response is done a moment after the client has it: waits until so many requests are counted. */
async function counted (requests, count) {
  const total = () => requests.read().durations.reduce((sum, { reading }) => sum + reading.count, 0)
  while (total() < count) await new Promise(resolve => setImmediate(resolve))
  return labels(requests)
}

function labels (requests) {
  return requests.read().durations.map(({ method, route, status, reading }) => `${method} ${route} ${status} ${reading.count}`).sort()
}

module.exports = { frameworks, createParts, serve, counted, labels }
