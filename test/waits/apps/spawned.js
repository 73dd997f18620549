'use strict'

// Likewise, with a promise of its own.

const { spawn } = require('node:child_process')

function render () {
  return new Promise((resolve, reject) => {
    spawn('sleep', ['0.6']).on('error', reject).on('exit', resolve)
  })
}

module.exports = async function print (request, response) {
  await render() // the wait
  response.end('ok')
}
