'use strict'

// Events for clients that stay, and a page that is answered at once.

const express = require('express')
const diagnostics = require('../../..')

module.exports = express()
  .use(diagnostics())
  .get('/events', (request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const timer = setInterval(() => response.write('data: 1\n\n'), 300)
    setTimeout(() => response.end('data: done\n\n'), 1500)
    response.on('close', () => clearInterval(timer))
  })
  .get('/', (request, response) => { response.send('ok') })
