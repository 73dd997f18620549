'use strict'

module.exports = function chatty (request, response) {
  for (let line = 0; line < 200; line++) console.error('handling', request.url, { line, headers: request.headers }) // finding: logging
  response.end('ok')
}
