'use strict'

function drain (count, done) {
  if (count === 0) return done()
  process.nextTick(drain, count - 1, done) // finding: next-ticks
}

module.exports = function batch (request, response) {
  drain(1_500_000, () => response.end('ok'))
}
