'use strict'

// Each request runs a program.

const { execFile } = require('node:child_process')
const { promisify } = require('node:util')

const run = promisify(execFile)

module.exports = async function convert (request, response) {
  await run('sleep', ['0.6']) // the wait
  response.end('ok')
}
