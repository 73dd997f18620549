'use strict'

const express = require('express')
const callbacks = require('./lib/callbacks')
const classes = require('./lib/classes')
const flows = require('./lib/flows')
const made = require('./lib/made')
const packages = require('./lib/packages')
const values = require('./lib/values')

const app = express()

// Each is asked for as GET /<its name>?size=<how much>.
for (const [name, work] of Object.entries({ ...callbacks, ...classes, ...flows, ...made, ...packages, ...values })) {
  app.get(`/${name}`, async (req, res) => {
    const done = await work(Number(req.query.size))
    res.json({ done: String(done) })
  })
}

const server = app.listen(process.env.PORT ?? 3000, '127.0.0.1', () => {
  console.log(JSON.stringify({ msg: 'listening', port: server.address().port }))
})
