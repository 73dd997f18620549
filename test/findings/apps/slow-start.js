'use strict'

function warmUp () {
  const until = process.hrtime.bigint() + 5_000_000_000n
  let sum = 0
  while (process.hrtime.bigint() < until) for (let index = 0; index < 1e6; index++) sum += index % 7
  return sum
}

warmUp() // finding: slow-start

module.exports = (request, response) => response.end('ok')
