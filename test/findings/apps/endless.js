'use strict'

function search () {
  for (let step = 1; ; step++) if (step < 0) return step // finding: endless
}

module.exports = function find (request, response) {
  response.end(String(search()))
}
