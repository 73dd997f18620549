'use strict'

const http = require('node:http')
const upstream = require('./upstream')

const agent = new http.Agent({ keepAlive: true })

const get = (port, path) => new Promise((resolve, reject) => {
  http.get({ host: 'localhost', family: 4, port, path, agent }, response => response.resume().on('end', resolve)).on('error', reject)
})

module.exports = async function order (request, response) {
  const port = await upstream.port
  await Promise.all([get(port, '/user?ms=20'), get(port, '/prices?ms=30'), fetch(`http://127.0.0.1:${port}/stock?ms=25`).then(answer => answer.json())])
  response.end('{}')
}
