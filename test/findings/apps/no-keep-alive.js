'use strict'

const http = require('node:http')
const upstream = require('./upstream')

const prices = port => new Promise((resolve, reject) => {
  http.get({ host: '127.0.0.1', port, path: '/?ms=60', agent: false }, response => response.resume().on('end', resolve)).on('error', reject)
})

module.exports = async function order (request, response) {
  await prices(await upstream.port)
  response.end('{}')
}
