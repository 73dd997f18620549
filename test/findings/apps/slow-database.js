'use strict'

const { setTimeout: sleep } = require('node:timers/promises')

module.exports = async function orders (request, response) {
  await sleep(700) // a query
  response.end('[]')
}
