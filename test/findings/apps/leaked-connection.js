'use strict'

const free = ['first', 'second', 'third']
const waiting = []
let count = 0

function take () {
  return free.length > 0 ? free.pop() : new Promise(resolve => waiting.push(resolve))
}

function give (connection) {
  const next = waiting.shift()
  if (next === undefined) free.push(connection)
  else next(connection)
}

module.exports = async function order (request, response) {
  const connection = await take() // finding: leaked-connection
  count++
  if (count % 5 !== 0) give(connection)
  response.end('{}')
}
