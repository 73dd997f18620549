'use strict'

const points = Array.from({ length: 6000 }, (_, index) => Math.sin(index))

function closestPair () {
  let best = Infinity
  for (const a of points) for (const b of points) best = Math.min(best, Math.abs(a - b) || best) // finding: nested-loops
  return best
}

module.exports = function closest (request, response) {
  response.end(String(closestPair()))
}
