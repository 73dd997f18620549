'use strict'

const { execSync } = require('node:child_process')

module.exports = function version (request, response) {
  response.end(execSync('sleep 0.15; echo 1.0')) // finding: exec-sync
}
