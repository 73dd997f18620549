'use strict'

// An Express server that says hello, observed in the way that its argument names.

const { AsyncLocalStorage } = require('node:async_hooks')
const { serveHello } = require('../harness/hello-server')
const { startSampler } = require('../harness/sampler')

const BUSY_NS = 1000n

/**
 * @param {unknown} request
 * @param {unknown} response
 * @param {() => void} next
 */
function beBusy (request, response, next) {
  const untilNs = process.hrtime.bigint() + BUSY_NS
  while (process.hrtime.bigint() < untilNs);
  next()
}

/** @type {Record<string, Parameters<typeof serveHello>[0]>} */
const CASES = {
  off () {},
  'off, once more' () {},
  on (app) { app.use(require('../..')()) },
  'on, no recorder' (app) { app.use(require('../..')({ recorder: false })) },
  'on, no middleware' () { require('../..').createDiagnostics().start() },
  'a busy microsecond' (app) { app.use(beBusy) },
  'AsyncLocalStorage + V8\'s sampler' (app) {
    const storage = new AsyncLocalStorage()
    startSampler()
    app.use((request, response, next) => storage.run(request, next))
  },
  'by hand + V8\'s sampler' (app) {
    const byHand = require('../harness/by-hand')
    startSampler()
    byHand.start()
    app.use(byHand.middleware)
    return () => byHand.read().answered
  },
  'express-prom-bundle' (app) { app.use(require('express-prom-bundle')({ includeMethod: true, includePath: true })) }
}

serveHello(CASES[process.argv[2]])
