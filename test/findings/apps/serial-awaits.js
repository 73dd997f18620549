'use strict'

const upstream = require('./upstream')

async function load (name, ms) {
  const answer = await fetch(`http://127.0.0.1:${await upstream.port}/${name}?ms=${ms}`)
  return answer.json()
}

module.exports = async function order (request, response) {
  const user = await load('user', 30)
  const prices = await load('prices', 30)
  const stock = await load('stock', 30)
  response.end(JSON.stringify({ user, prices, stock }))
}
