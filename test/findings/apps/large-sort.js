'use strict'

const names = Array.from({ length: 60_000 }, (_, index) => `name ${index * 7919 % 104729}`)

module.exports = function sorted (request, response) {
  const all = names.toSorted((left, right) => left.localeCompare(right)) // finding: large-sort
  response.end(all[0])
}
