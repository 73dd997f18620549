'use strict'

const { setTimeout: sleep } = require('node:timers/promises')

module.exports = async function order (request, response) {
  await sleep(8)
  await new Promise(resolve => setTimeout(resolve, 5))
  await new Promise(resolve => setImmediate(resolve))
  response.end('{}')
}
