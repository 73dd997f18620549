'use strict'

const { setTimeout: sleep } = require('node:timers/promises')

let count = 0

module.exports = async function order (request, response) {
  await sleep(2)
  count++
  if (count % 5 !== 0) response.end('{}')
}
