'use strict'

let recent = []

function collect (size) {
  const rows = []
  for (let index = 0; index < size; index++) rows.push({ id: index, at: { nested: [index, String(index)] } }) // finding: garbage
  return rows
}

module.exports = function report (request, response) {
  recent = [...recent.slice(-6), collect(60_000)]
  response.end(String(recent.length))
}
