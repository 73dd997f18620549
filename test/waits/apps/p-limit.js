'use strict'

// The same with a package, by which all requests share two calls at a time.

const limit = require('p-limit')(2)
const express = require('express')
const diagnostics = require('../../..')

async function ask () {
  const answer = await fetch(`http://127.0.0.1:${process.env.UPSTREAM_PORT}/60`)
  return answer.text()
}

module.exports = express()
  .use(diagnostics())
  .get('/order', async (request, response) => {
    await limit(ask) // the wait
    response.send('{}')
  })
