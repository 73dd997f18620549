'use strict'

// Another service, in a thread of its own: it answers HTTP after `?ms=`, and with `?status=`.

const { Worker } = require('node:worker_threads')

const SOURCE = `
  const http = require('node:http')
  const server = http.createServer((request, response) => {
    const query = new URL(request.url, 'http://a').searchParams
    setTimeout(() => { response.statusCode = Number(query.get('status') ?? 200); response.end('{}') }, Number(query.get('ms')))
  })
  server.keepAliveTimeout = 60_000
  server.listen(0, '127.0.0.1', () => require('node:worker_threads').parentPort.postMessage(server.address().port))
`

const port = new Promise(resolve => new Worker(SOURCE, { eval: true, execArgv: [] }).once('message', resolve))

module.exports = { port }
