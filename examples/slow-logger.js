'use strict'

// node examples/slow-logger.js, then: npx autocannon <address>/articles/7
// Every handler is quick and the service is slow: its access log is written when a response is finished, and waits for the disk with
// each line. FSYNC=0 leaves the waiting to the system.

const express = require('express')
const onFinished = require('on-finished')
const pino = require('pino')
const diagnostics = require('loopscope')

const logger = pino(pino.destination({ dest: process.env.ACCESS_LOG ?? 'access.log', sync: true, fsync: process.env.FSYNC !== '0' }))

const app = express()
app.use(diagnostics())
app.use(function accessLog (req, res, next) {
  onFinished(res, function writeLine () { logger.info({ method: req.method, url: req.url, status: res.statusCode }) })
  next()
})

app.get('/articles/:id', function article (req, res) {
  res.json({ id: req.params.id, name: 'lamp' })
})

const server = app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', error => {
  if (error) throw error
  console.log(`listening on http://127.0.0.1:${server.address().port}, pid ${process.pid}`)
})
