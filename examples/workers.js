'use strict'

// node examples/workers.js, then: npx autocannon <address>/prices
// A cluster of 16 workers, WORKERS for another number, each with a cache: every request looks at every entry whether it has expired,
// and asks the system for the time again each time. CLOCK=1 asks loopscope's clock instead.

const cluster = require('node:cluster')
const express = require('express')
const diagnostics = require('loopscope')

const WORKERS = Number(process.env.WORKERS ?? 16)
const ENTRIES = 20_000
const KEEP_MS = 60_000

function serve () {
  const d = diagnostics({ syncCalls: { apis: ['Date.now'] } })
  const now = process.env.CLOCK === '1' ? () => d.clock.now() : () => Date.now()
  const cache = new Map(Array.from({ length: ENTRIES }, (_, id) => [id, { price: id % 100, expires: Date.now() + KEEP_MS }]))
  const app = express()
  app.use(d)

  app.get('/prices', function sumPrices (req, res) {
    let sum = 0
    for (const entry of cache.values()) {
      if (entry.expires < now()) entry.expires = now() + KEEP_MS
      sum += entry.price
    }
    res.json({ sum })
  })

  const server = app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', error => {
    if (error) throw error
    console.log(`worker ${process.pid} listening on http://127.0.0.1:${server.address().port}`)
  })
}

if (cluster.isPrimary) {
  for (let worker = 0; worker < WORKERS; worker++) cluster.fork()
} else {
  serve()
}
