'use strict'

// An Express server that says hello to a connection without a network, observed in one way after the other.

const { AsyncLocalStorage } = require('node:async_hooks')
const { channel } = require('node:diagnostics_channel')
const http = require('node:http')
const { getHeapStatistics } = require('node:v8')
const express = require('express')
const { serveAnswers } = require('../harness/answers')
const { collectGarbage } = require('../harness/collect-garbage')
const { fakeConnection } = require('../harness/fake-connection')
const { firstWindow } = require('../harness/first-window')

/** @import { RequestHandler } from 'express' */

/** @typedef {{ start?: () => unknown, middleware: RequestHandler, stop?: () => unknown }} Case */

/** @type {RequestHandler} */
const pass = (request, response, next) => next()
const storage = new AsyncLocalStorage()

/** @type {Record<string, Case>} */
const CASES = {
  off: { middleware: pass },
  'off, once more': { middleware: pass },
  AsyncLocalStorage: { middleware: (request, response, next) => storage.run(request, next), stop: () => storage.disable() }
}

/** What else a process can do; it has one of them. @type {Record<string, () => Case | Promise<Case>>} */
const KINDS = {
  async on () {
    const recording = firstWindow()
    const middleware = require('../..')()
    const alive = setInterval(() => {}, 1000) // what is observed does not keep its process running
    await recording
    clearInterval(alive)
    tell(false)
    return { start: () => tell(true), middleware, stop: () => tell(false) }
  },
  'by hand' () {
    const byHand = require('../harness/by-hand')
    return {
      ...byHand,
      stop () {
        byHand.stop()
        if (byHand.read().answered === 0) throw new Error('nothing was counted by hand')
      }
    }
  },
  'express-prom-bundle': () => ({ middleware: require('express-prom-bundle')({ includeMethod: true, includePath: true }) })
}

/**
 * What is started twice is compiled for any number of its kind, and slower than in a service: so it stays, and does not hear of requests.
 * @param {boolean} isTold
 */
function tell (isTold) {
  for (const name of ['http.server.request.start', 'http.server.response.finish']) {
    Object.defineProperty(channel(name), 'hasSubscribers', { value: isTold, configurable: true })
  }
}

let current = pass

const app = express()
app.use((request, response, next) => current(request, response, next))
app.get('/', (request, response) => {
  response.once('finish', connection.answered)
  response.send('hello world')
})

const connection = fakeConnection(http.createServer(app))

/**
 * Nanoseconds and bytes a request, of each slice. By the clock: CPU time of one thread moves in steps of 4 ms.
 * @param {{ name: string, warmUp: number, slices: number, requests: number }} how  requests a slice
 */
async function turn ({ name, warmUp, slices, requests }) {
  const { start, middleware, stop } = CASES[name]
  start?.()
  current = middleware
  await connection.send(warmUp)
  const found = []
  for (let slice = 0; slice < slices; slice++) {
    const usedBytes = getHeapStatistics().used_heap_size
    const startNs = process.hrtime.bigint()
    await connection.send(requests)
    const ns = Number(process.hrtime.bigint() - startNs)
    found.push({ ns: ns / requests, bytes: (getHeapStatistics().used_heap_size - usedBytes) / requests })
  }
  current = pass
  stop?.()
  return found
}

/** @param {string} kind */
async function main (kind) {
  CASES[kind] = await KINDS[kind]()
  collectGarbage()
  serveAnswers('ready', { turn })
}

main(process.argv[2])
