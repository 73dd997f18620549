'use strict'

// node examples/pool.js: a service whose requests wait, and not for the event loop. /orders makes two queries, and each needs one of four
// connections; /health needs none. The database is made up: a query takes 20 ms.
//
//   npx autocannon -c 20 -d 10 http://127.0.0.1:<port>/orders
//   npx loopscope waits <pid> --seconds 5

const { setTimeout: sleep } = require('node:timers/promises')
const express = require('express')
const diagnostics = require('loopscope')

const QUERY_MS = 20
const CONNECTIONS = 4 // too few for 20 requests at a time

class Pool {
  #free = CONNECTIONS
  /** @type {(() => void)[]} */
  #waiting = []

  async acquire () {
    if (this.#free > 0) this.#free--
    else await new Promise(resolve => this.#waiting.push(resolve)) // most of each request is spent here
  }

  release () {
    const next = this.#waiting.shift()
    if (next === undefined) this.#free++
    else next()
  }
}

const pool = new Pool()

async function query (answer) {
  await pool.acquire()
  try {
    await sleep(QUERY_MS)
    return answer
  } finally {
    pool.release()
  }
}

const app = express()
app.use(diagnostics())

app.get('/orders', async function listOrders (req, res) {
  const customer = await query({ name: 'Ada' })
  res.json({ customer, orders: await query([1, 2, 3]) })
})

app.get('/health', function health (req, res) {
  res.json({ ok: true })
})

const server = app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', error => {
  if (error) throw error
  console.log(`listening on http://127.0.0.1:${server.address().port}`)
})
