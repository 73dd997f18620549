'use strict'

// It looks a service up by itself for each request, at a slow name server.

const { Resolver } = require('node:dns').promises
const express = require('express')
const diagnostics = require('../../..')

const resolver = new Resolver()
resolver.setServers([`127.0.0.1:${process.env.DNS_PORT}`])

async function locate (name) {
  const [address] = await resolver.resolve4(name) // the wait
  return address
}

module.exports = express()
  .use(diagnostics())
  .get('/', async (request, response) => { response.json({ address: await locate('prices.internal') }) })
