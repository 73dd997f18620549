'use strict'

// Serves requests and leaks in a group with little memory, until the kernel kills it: argv has its options as JSON, how it leaks, and how fast.

const http = require('node:http')
const { createDiagnostics } = require('../..')

const [options, owner, megabytesPerSecond] = process.argv.slice(2)
const EVERY_MS = 10
const bytes = Number(megabytesPerSecond) * 1e6 / 1000 * EVERY_MS
const kept = []

const LEAKS = {
  buffers: () => kept.push(Buffer.alloc(bytes, 1)),
  heap: () => kept.push(Array.from({ length: bytes / 8 / 20 }, (_, at) => Array.from({ length: 16 }, () => at + 0.5)))
}

const diagnostics = createDiagnostics({ logger: { info () {}, warn () {}, error () {} }, controlSocket: false, retention: { minFreeBytes: 0, maxCount: 1000 }, ...JSON.parse(options) })
diagnostics.start()

const server = http.createServer((request, response) => {}) // it never answers
server.listen(0, '127.0.0.1', () => {
  http.get({ port: server.address().port, host: '127.0.0.1', path: '/upload' }).on('error', () => {})
  setTimeout(() => {
    let dueMs = Date.now()
    setInterval(() => {
      dueMs = Math.max(dueMs, Date.now() - 2 * EVERY_MS) // what it missed is not made up for: that would be another speed
      for (; dueMs <= Date.now(); dueMs += EVERY_MS) LEAKS[owner]()
    }, EVERY_MS)
  }, 1000)
})
