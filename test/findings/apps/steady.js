'use strict'

function work () {
  const until = performance.now() + 4
  let sum = 0
  while (performance.now() < until) sum += Math.sqrt(sum + 1)
  return sum
}

module.exports = function steady (request, response) {
  response.end(String(work()))
}
