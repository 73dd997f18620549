'use strict'

// A process of which only one answer is known: what a command says of it, in 80 columns.

const { once } = require('node:events')
const fs = require('node:fs')
const http = require('node:http')
const path = require('node:path')
const { cli } = require('./cli')

/**
 * @param {import('node:test').TestContext} t
 * @param {unknown} answer  to whatever is asked
 * @param {string} command
 * @param {...string} options
 */
async function answered (t, answer, command, ...options) {
  const folder = fs.mkdtempSync('/tmp/ls-')
  const socket = path.join(folder, 'x.sock')
  const server = http.createServer((request, response) => response.setHeader('content-type', 'application/json').end(JSON.stringify(answer))).listen(socket)
  await once(server, 'listening')
  t.after(() => {
    server.close()
    fs.rmSync(folder, { recursive: true })
  })
  return cli([command, '--socket', socket, ...options], { env: { COLUMNS: '80' } })
}

module.exports = { answered }
