'use strict'

// A service that is out of order is asked four times, later each time; the last answer is taken as it is.

const http = require('node:http')
const { promisify } = require('node:util')
const express = require('express')
const diagnostics = require('../../..')

const wait = promisify(setTimeout)
const agent = new http.Agent({ keepAlive: true })

function ask () {
  return new Promise((resolve, reject) => {
    http.get({ host: '127.0.0.1', port: process.env.UPSTREAM_PORT, path: '/bad', agent }, response => response.resume().on('end', () => resolve(response.statusCode))).on('error', reject)
  })
}

async function askAgain (attempts) {
  for (let attempt = 1; ; attempt++) {
    const status = await ask()
    if (status === 200 || attempt === attempts) return status
    await wait(50 * 2 ** attempt) // the wait
  }
}

module.exports = express()
  .use(diagnostics())
  .get('/stock', async (request, response) => { response.json({ status: await askAgain(4) }) })
