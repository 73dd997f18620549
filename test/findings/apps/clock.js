'use strict'

const limits = new Map()

function allow (key) {
  let calls = 0
  for (let slot = 0; slot < 100_000; slot++) calls += Date.now() % 7 // finding: clock
  limits.set(key, calls)
  return calls > 0
}

module.exports = function limited (request, response) {
  response.end(String(allow(request.url)))
}
