'use strict'

// The same with a package for worker threads.

const path = require('node:path')
const express = require('express')
const Piscina = require('piscina')
const diagnostics = require('../../..')

const pool = new Piscina({ filename: path.join(__dirname, 'piscina-task.js'), minThreads: 2, maxThreads: 2 })

async function resize () {
  return pool.run({}) // the wait
}

module.exports = express()
  .use(diagnostics())
  .get('/image', async (request, response) => {
    const image = await resize()
    response.json(image)
  })
