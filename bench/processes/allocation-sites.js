'use strict'

// An Express server on a connection without a network, which answers with JSON or reads uploads; loopscope samples which lines allocate what stays, once it is asked to.

const http = require('node:http')
const express = require('express')
const { serveAnswers } = require('../harness/answers')
const { collectGarbage } = require('../harness/collect-garbage')
const { fakeConnection } = require('../harness/fake-connection')
const { firstWindow } = require('../harness/first-window')

const ROWS = Array.from({ length: 30 }, (_, id) => ({ id, name: `name ${id}`, tags: ['a', 'b', id] }))
const UPLOAD_BYTES = 60_000
const CHUNKS = 4
const LONG_SECONDS = 600 // the process has ended by then
const SETTLE_MS = 2000 // how much is allocated has been measured by then

/** @type {Record<string, Buffer[]>} */
const REQUESTS = {
  '/json': [Buffer.from('GET /json HTTP/1.1\r\nHost: localhost\r\n\r\n')],
  '/upload': [
    Buffer.from(`POST /upload HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${UPLOAD_BYTES}\r\n\r\n`),
    ...Array.from({ length: CHUNKS }, () => Buffer.alloc(UPLOAD_BYTES / CHUNKS, 'x'))
  ]
}

const recording = firstWindow()
const diagnostics = require('../..')()
const app = express()
app.use(diagnostics)
app.use((request, response, next) => {
  response.once('finish', connection.answered)
  next()
})
app.get('/json', (request, response) => {
  response.json({ rows: ROWS.map(row => ({ ...row, at: row.id + 1 })) })
})
app.post('/upload', (request, response) => {
  /** @type {Buffer[]} */
  const chunks = []
  request.on('data', chunk => chunks.push(chunk))
  request.on('end', () => response.json({ bytes: Buffer.concat(chunks).length }))
})

const connection = fakeConnection(http.createServer(app), [process.argv[2]], path => REQUESTS[path])

/** Sampling begins under load: it goes by how much is allocated. */
async function arm () {
  diagnostics.memory({ seconds: LONG_SECONDS }).catch(() => {}) // the process ends first
  for (const fromMs = performance.now(); performance.now() - fromMs < SETTLE_MS;) await connection.send(100)
}

/**
 * Microseconds a request, of each slice.
 * @param {{ warmUp: number, slices: number, requests: number }} how  requests a slice
 */
async function turn ({ warmUp, slices, requests }) {
  await connection.send(warmUp)
  const found = []
  for (let slice = 0; slice < slices; slice++) {
    const startNs = process.hrtime.bigint()
    await connection.send(requests)
    found.push(Number(process.hrtime.bigint() - startNs) / 1e3 / requests)
  }
  return found
}

async function main () {
  const alive = setInterval(() => {}, 1000)
  await recording
  clearInterval(alive)
  collectGarbage()
  serveAnswers('ready', { turn, arm })
}

main()
