'use strict'

// A backend that is asked over a new connection each time.

const http = require('node:http')
const { fork } = require('node:child_process')

if (process.argv[2] === 'backend') {
  http.createServer((request, response) => response.end('ok')).listen(0, '127.0.0.1', function () { process.send(this.address().port) })
  process.on('disconnect', () => process.exit())
} else {
  const backend = fork(__filename, ['backend'], { execArgv: [] })
  const port = new Promise(resolve => backend.once('message', resolve))
  backend.unref()
  const agent = new http.Agent({ keepAlive: false })

  module.exports = async function answer (request, response) {
    const options = { host: '127.0.0.1', port: await port, agent }
    http.get(options, answered => answered.resume().on('end', () => response.end('ok')))
  }
}
