// node examples/express.js, then: curl <address>/report
'use strict'

// An Express service with diagnostics: one line before the routes. /login and /report block the event loop, which is logged
// with route and line; `kill -USR2 <pid>` writes a CPU profile of what already happened.

const crypto = require('node:crypto')
const express = require('express')
const diagnostics = require('loopscope')

const app = express()
const d = diagnostics()
app.use(d)

app.get('/', function home (req, res) {
  res.send('ok')
})

app.post('/login', function login (req, res) {
  crypto.pbkdf2Sync('correct horse', 'salt', 600_000, 64, 'sha256')
  res.send('ok')
})

app.get('/report', function report (req, res) {
  const rows = Array.from({ length: 500_000 }, (_, index) => ({ id: index, name: `row ${index * 7919 % 500_000}` }))
  rows.sort((a, b) => a.name < b.name ? -1 : 1)
  res.json(rows.slice(0, 10))
})

app.get('/metrics', async function metrics (req, res) {
  res.type(d.registry.contentType).send(await d.registry.metrics())
})

const server = app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', error => {
  if (error) throw error
  console.log(`listening on http://127.0.0.1:${server.address().port}, pid ${process.pid}`)
})

process.once('SIGTERM', async () => {
  server.close()
  server.closeIdleConnections()
  await d.close()
})
