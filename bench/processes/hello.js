'use strict'

// An Express server that says hello, observed in the way that its argument names.

const { serveHello } = require('../harness/hello-server')

/** @type {Record<string, (app: import('express').Express) => void>} */
const CASES = {
  off () {},
  'off, once more' () {},
  on (app) { app.use(require('../..')()) },
  'on, no recorder' (app) { app.use(require('../..')({ recorder: false })) },
  'on, no middleware' () { require('../..').createDiagnostics().start() },
  'express-prom-bundle' (app) { app.use(require('express-prom-bundle')({ includeMethod: true, includePath: true })) },
  'prom-client' () { require('prom-client').collectDefaultMetrics() }
}

serveHello(CASES[process.argv[2]])
