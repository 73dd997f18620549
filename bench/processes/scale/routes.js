'use strict'

// An Express server of as many routes as the first argument says, observed or not as the second says, on a connection without a network.

const { readMemory } = require('../../harness/memory')
const http = require('node:http')
const express = require('express')
const { serveAnswers } = require('../../harness/answers')
const { collectGarbage } = require('../../harness/collect-garbage')
const { fakeConnection } = require('../../harness/fake-connection')

const [, , count, kind] = process.argv
const routes = Array.from({ length: Number(count) }, (_, at) => `/route-${at}`)

const app = express()
if (kind === 'on') app.use(require('../../..')())
for (const route of routes) {
  app.get(`${route}/:id`, (request, response) => {
    response.once('finish', connection.answered)
    response.send('hello world')
  })
}

const connection = fakeConnection(http.createServer(app), routes.map(route => `${route}/1`))

collectGarbage()
serveAnswers('ready', {
  /** @param {number} requests */
  async nsPerRequest (requests) {
    const before = process.cpuUsage()
    await connection.send(requests)
    const { user, system } = process.cpuUsage(before)
    return (user + system) * 1e3 / requests
  },
  memory: readMemory
})
