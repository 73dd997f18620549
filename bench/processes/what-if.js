'use strict'

// One of ten servers, each with one thing that blocks its loop; with `fixed`, without it. Each has a fast route beside it.

const childProcess = require('node:child_process')
const crypto = require('node:crypto')
const http = require('node:http')
const { performance } = require('node:perf_hooks')
const { setTimeout: sleep } = require('node:timers/promises')
const { promisify } = require('node:util')
const zlib = require('node:zlib')
const diagnostics = require('../..')
const { serveAnswers } = require('../harness/answers')

const [name, state] = process.argv.slice(2)
const isFixed = state === 'fixed'
const [pbkdf2, scrypt, gzip, execFile] = [crypto.pbkdf2, crypto.scrypt, zlib.gzip, childProcess.execFile].map(fn => /** @type {any} */ (promisify(fn)))

const ROWS = Array.from({ length: 30_000 }, (_, id) => ({ id, name: `product ${id}`, price: id % 97 }))
const TEXT = JSON.stringify(ROWS)
const CATALOG = Array.from({ length: 20 }, () => ROWS).flat()
const ORDERS = Array.from({ length: 14_000 }, (_, id) => ({ id, product: (id * 7919) % 14_000 }))
const BY_ID = new Map(ORDERS.map(order => [order.id, order]))
const cell = new Int32Array(new SharedArrayBuffer(4))

function matchOrders () {
  let found = 0
  for (const { product } of ORDERS) if (isFixed ? BY_ID.has(product) : ORDERS.find(({ id }) => id === product) !== undefined) found++
  return found
}

function priceAll () {
  let sum = 0
  for (let round = 0; round < 60; round++) for (const { price } of CATALOG) sum += Math.sqrt(price * round)
  return sum
}

function waitForClock () {
  const endMs = performance.now() + 60
  while (performance.now() < endMs);
}

/** What the slow route does. @type {Record<string, () => any>} */
const SLOW = {
  pbkdf2: () => isFixed ? pbkdf2('secret', 'salt', 40_000, 64, 'sha512') : crypto.pbkdf2Sync('secret', 'salt', 40_000, 64, 'sha512'),
  scrypt: () => isFixed ? scrypt('secret', 'salt', 64) : crypto.scryptSync('secret', 'salt', 64),
  json: () => isFixed ? TEXT.length : JSON.stringify(CATALOG).length,
  gzip: () => isFixed ? gzip(TEXT) : zlib.gzipSync(TEXT),
  command: () => isFixed ? execFile('sleep', ['0.05']) : childProcess.execFileSync('sleep', ['0.05']),
  lock: () => isFixed ? null : Atomics.wait(cell, 0, 0, 60),
  search: () => matchOrders(),
  report: async () => {
    await sleep(15)
    return isFixed ? 0 : priceAll()
  },
  clock: () => isFixed ? null : waitForClock(),
  timer: () => null
}

if (name === 'timer' && !isFixed) {
  setInterval(() => {
    for (let round = 0; round < 3; round++) priceAll() // a stall on a fast machine, too
  }, 400)
}

const d = diagnostics()
const server = http.createServer((request, response) => {
  d(request, response, async () => {
    if (request.url === '/slow') await SLOW[name]()
    response.end('{}')
  })
})
server.listen(0, '127.0.0.1', () => serveAnswers(/** @type {import('node:net').AddressInfo} */ (server.address()).port, { findings: () => d.findings() }))
