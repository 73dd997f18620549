'use strict'

// No promise anywhere: an answer follows when another service has answered.

const http = require('node:http')
const express = require('express')
const diagnostics = require('../../..')

const agent = new http.Agent({ keepAlive: true })

function loadPrices (done) {
  const request = http.get({ host: '127.0.0.1', port: process.env.UPSTREAM_PORT, path: '/600/late', agent }, response => { // the wait
    let text = ''
    response.on('data', data => { text += data }).on('end', () => done(null, text))
  })
  request.on('error', done)
}

module.exports = express()
  .use(diagnostics())
  .get('/prices', (request, response, next) => {
    loadPrices((error, text) => {
      if (error) return next(error)
      response.send(text)
    })
  })
