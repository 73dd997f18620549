'use strict'

// A server whose slow route waits with the loop blocked; waiting takes no CPU, so the machine's load matters little.

const http = require('node:http')
const diagnostics = require('../..')

const cell = new Int32Array(new SharedArrayBuffer(4))
const d = diagnostics({ logger: { info () {}, warn () {}, error () {}, debug () {} }, dir: process.argv[2] })

const server = http.createServer((request, response) => d(request, response, () => {
  if (request.url === '/slow') Atomics.wait(cell, 0, 0, 140)
  response.end('{}')
}))
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }))
process.on('message', async ({ call, options }) => {
  try {
    process.send({ value: await d[call](options) })
  } catch (error) {
    process.send({ error: error.code })
  }
})
process.on('disconnect', () => process.exit())
