'use strict'

const http = require('node:http')
const dns = require('node:dns')
const upstream = require('./upstream')

// A name server that takes its time.
const lookup = (name, options, done) => setTimeout(() => dns.lookup(name, options, done), 80)
const agent = new http.Agent({ lookup, family: 4, keepAlive: true })

const prices = port => new Promise((resolve, reject) => {
  const close = Math.random() < 0.5 // the other side keeps half of the connections
  http.get({ host: 'localhost', port, path: '/?ms=5', agent, headers: close ? { connection: 'close' } : {} }, response => response.resume().on('end', resolve)).on('error', reject)
})

module.exports = async function order (request, response) {
  await prices(await upstream.port)
  response.end('{}')
}
