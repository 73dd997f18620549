'use strict'

// The measured process's end of request-rounds.js: an Express server that says hello, and tells what it took.

const express = require('express')
const { serveAnswers } = require('./answers')
const { collectGarbage } = require('./collect-garbage')
const { cpuMeter } = require('./cpu-meter')

/**
 * @param {(app: import('express').Express) => (() => number) | void} observe  can return what tells how many it counted
 * @param {() => Promise<unknown>} [work]  awaited by each request
 * @param {() => object} [describe]  what the server says of itself beside its port, when it listens
 */
function serveHello (observe, work, describe = () => ({})) {
  const app = express()
  const counted = observe(app)

  let answered = 0
  if (work !== undefined) {
    app.get('/', async (request, response) => {
      await work()
      answered++
      response.send('hello world')
    })
  }
  app.get('/', (request, response) => {
    answered++
    response.send('hello world')
  })

  const server = app.listen(0, '127.0.0.1', () => {
    collectGarbage()
    const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
    serveAnswers({ port, ...describe() }, {
      ...cpuMeter(),
      lifeMicros () {
        const { user, system } = process.cpuUsage()
        return user + system
      },
      rss: () => process.memoryUsage.rss(),
      answered () {
        if (counted?.() === 0) throw new Error(`none of ${answered} requests was counted`)
        return answered
      }
    })
  })
}

module.exports = { serveHello }
