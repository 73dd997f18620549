// node examples/shared-registry.js, then: curl <address>/metrics
'use strict'

// A service that already has a prom-client registry and a pino logger: both are passed in, so that one /metrics route
// serves everything and stalls are lines of the service's own log.

const express = require('express')
const pino = require('pino')
const { Counter, Registry, collectDefaultMetrics } = require('prom-client')
const diagnostics = require('loopscope')

const logger = pino({ name: 'shop' })
const registry = new Registry()
collectDefaultMetrics({ register: registry })
const orders = new Counter({ name: 'shop_orders_total', help: 'Orders taken', registers: [registry] })

const app = express()
app.use(diagnostics({ registry, logger: logger.child({ part: 'loopscope' }) }))

app.get('/order/:item', function order (req, res) {
  orders.inc()
  res.json({ item: req.params.item })
})

app.get('/metrics', async function metrics (req, res) {
  res.type(registry.contentType).send(await registry.metrics())
})

const server = app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', error => {
  if (error) throw error
  logger.info(`listening on http://127.0.0.1:${server.address().port}`)
})
