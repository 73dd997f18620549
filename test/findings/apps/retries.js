'use strict'

const { setTimeout: sleep } = require('node:timers/promises')
const upstream = require('./upstream')

async function prices () {
  for (let attempt = 1; attempt <= 4; attempt++) {
    const answer = await fetch(`http://127.0.0.1:${await upstream.port}/?ms=1&status=503`)
    await answer.text()
    if (answer.ok) return
    await sleep(100)
  }
}

module.exports = async function order (request, response) {
  await prices()
  response.end('{}')
}
