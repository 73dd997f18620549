'use strict'

// No promise anywhere: a pause before the answer.

module.exports = function login (request, response) {
  setTimeout(() => response.end('wrong password'), 700) // the wait
}
