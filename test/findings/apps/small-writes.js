'use strict'

// A response in many small pieces, each written by itself.

module.exports = function answer (request, response) {
  response.socket.setNoDelay(true)
  let left = 40
  const next = () => {
    if (left-- === 0) return response.end()
    response.write(`${left}\n`) // finding: small-writes
    setImmediate(next)
  }
  next()
}
