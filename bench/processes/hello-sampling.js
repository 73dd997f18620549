'use strict'

// An Express server that says hello, with loopscope on. Allocations are sampled once it is asked to.

const express = require('express')
const { serveAnswers } = require('../harness/answers')
const { cpuMeter } = require('../harness/cpu-meter')
const diagnostics = require('../..')()

const SHORT_SECONDS = 0.1 // it is sampled on after that

const app = express()
app.use(diagnostics)

let answered = 0
app.get('/', (request, response) => {
  answered++
  response.send('hello world')
})

const server = app.listen(0, '127.0.0.1', () => {
  serveAnswers(server.address(), {
    ...cpuMeter(),
    answered: () => answered,
    sample: async (/** @type {'live' | 'all'} */ mode) => { await diagnostics.capture('heap-profile', { mode, seconds: SHORT_SECONDS }) }
  })
})
