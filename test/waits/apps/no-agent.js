'use strict'

// The other side closes each connection after its answer.

module.exports = async function order (request, response) {
  const answer = await fetch(`http://127.0.0.1:${process.env.CLOSING_PORT}/prices`) // the wait
  await answer.text()
  response.end('{}')
}
