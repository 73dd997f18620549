'use strict'

const input = `${'a'.repeat(23)}!`

module.exports = function checkName (request, response) {
  response.end(String(/^(a+)+$/.test(input))) // finding: backtracking
}
