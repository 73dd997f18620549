'use strict'

const pause = ms => new Promise(resolve => setTimeout(resolve, ms))

module.exports = async function order (request, response) {
  await pause(120)
  response.end('{}')
}
