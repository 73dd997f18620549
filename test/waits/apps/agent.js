'use strict'

// An agent with too few sockets for the requests of one response.

const http = require('node:http')

const agent = new http.Agent({ keepAlive: true, maxSockets: 2 })

function price (id) {
  return new Promise((resolve, reject) => {
    http.get(`http://127.0.0.1:${process.env.UPSTREAM_PORT}/60/${id}`, { agent }, response => response.resume().on('end', resolve)).on('error', reject)
  })
}

module.exports = async function offers (request, response) {
  await Promise.all([1, 2, 3, 4].map(price)) // the wait
  response.end()
}
