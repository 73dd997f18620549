'use strict'

// An Express server that says hello to a connection without a network, observed in the way that its argument names.

const { AsyncLocalStorage } = require('node:async_hooks')
const http = require('node:http')
const express = require('express')
const { serveAnswers } = require('../harness/answers')
const { collectGarbage } = require('../harness/collect-garbage')
const { cpuMeter } = require('../harness/cpu-meter')
const { fakeConnection } = require('../harness/fake-connection')
const { fast } = require('../harness/statistics')

/** @type {Record<string, (app: import('express').Express) => void>} */
const CASES = {
  off () {},
  'off, once more' () {},
  AsyncLocalStorage (app) {
    const storage = new AsyncLocalStorage()
    app.use((request, response, next) => storage.run(request, next))
  },
  on (app) { app.use(require('../..')()) },
  'on, no recorder' (app) { app.use(require('../..')({ recorder: false })) },
  'express-prom-bundle' (app) { app.use(require('express-prom-bundle')({ includeMethod: true, includePath: true })) }
}

const app = express()
CASES[process.argv[2]](app)
app.get('/', (request, response) => {
  response.once('finish', connection.answered)
  response.send('hello world')
})

const connection = fakeConnection(http.createServer(app))

/**
 * By the clock: CPU time of one thread moves in steps of 4 ms.
 * @param {{ slices: number, requests: number }} how  requests a slice
 * @returns {Promise<number>} nanoseconds a request, of a fast slice
 */
async function nsPerRequest ({ slices, requests }) {
  const ns = []
  for (let slice = 0; slice < slices; slice++) {
    const startNs = process.hrtime.bigint()
    await connection.send(requests)
    ns.push(Number(process.hrtime.bigint() - startNs) / requests)
  }
  return fast(ns)
}

collectGarbage()
serveAnswers('ready', { ...cpuMeter(), nsPerRequest })
