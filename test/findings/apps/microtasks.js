'use strict'

async function settle (count) {
  for (let index = 0; index < count; index++) await null // finding: microtasks
}

module.exports = async function batch (request, response) {
  await settle(3_000_000)
  response.end('ok')
}
