'use strict'

// An Express application that keeps what it is sent, and what it makes of it, as an application does that leaks: argv has its options as JSON. It reports
// its port, and its findings when asked.

const express = require('express')
const diagnostics = require('../..')

const d = diagnostics(JSON.parse(process.argv[2]))
const app = express()
app.use(d)

const thumbnails = []
app.post('/upload', express.raw({ limit: '10mb', type: () => true }), (request, response) => {
  thumbnails.push(Buffer.concat([request.body, request.body])) // upload
  response.sendStatus(204)
})

const carts = new Map()
app.post('/cart', (request, response) => {
  const rows = Array.from({ length: 4000 }, (_, at) => ({ id: carts.size * 1e4 + at, tags: [at] }))
  carts.set(`cart ${carts.size}`, rows) // cart
  response.sendStatus(204)
})

const server = app.listen(0, '127.0.0.1', () => process.send?.({ port: server.address().port }))
process.on('message', async () => process.send({ findings: (await d.findings()).findings }))
process.on('disconnect', () => process.exit())
