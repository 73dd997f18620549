'use strict'

// Servers of tests: each has a port of its own, and ends with its test.

const { once } = require('node:events')
const net = require('node:net')

/**
 * @param {import('node:test').TestContext} t
 * @param {net.Server & { closeAllConnections?: () => void }} server  of any protocol
 * @param {string} [file]  of a Unix socket, instead of a port
 * @returns {Promise<number>} its port
 */
async function listen (t, server, file) {
  if (file === undefined) server.listen(0, '127.0.0.1')
  else server.listen(file)
  t.after(() => {
    server.close()
    server.closeAllConnections?.()
  })
  await once(server, 'listening')
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

/** @returns {Promise<number>} a port that nothing listens on */
async function freePort () {
  const server = net.createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = /** @type {net.AddressInfo} */ (server.address())
  await once(server.close(), 'close')
  return port
}

module.exports = { freePort, listen }
