'use strict'

// An Express server that says hello, observed in the way that its argument names.

const express = require('express')
const { serveAnswers } = require('../harness/answers')
const { cpuMeter } = require('../harness/cpu-meter')

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

const app = express()
CASES[process.argv[2]](app)

let answered = 0
app.get('/', (request, response) => {
  answered++
  response.send('hello world')
})

const server = app.listen(0, '127.0.0.1', () => {
  serveAnswers(server.address(), { ...cpuMeter(), answered: () => answered })
})
