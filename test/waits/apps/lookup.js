'use strict'

// New connections ask a slow name server, with a lookup of their own.

const dns = require('node:dns')
const http = require('node:http')

const { DNS_PORT, UPSTREAM_PORT } = process.env
const resolver = new dns.Resolver()
resolver.setServers([`127.0.0.1:${DNS_PORT}`])

function lookup (name, options, done) {
  resolver.resolve4(name, (error, addresses) => {
    if (error) return done(error)
    if (options.all) done(null, addresses.map(address => ({ address, family: 4 })))
    else done(null, addresses[0], 4)
  })
}

function prices () {
  return new Promise((resolve, reject) => {
    http.get({ host: 'prices.internal', port: UPSTREAM_PORT, path: '/5/late', lookup, agent: false }, response => response.resume().on('end', resolve)).on('error', reject)
  })
}

module.exports = async function order (request, response) {
  await prices() // the wait
  response.end('{}')
}
