'use strict'

// Where measured processes send to: takes everything, keeps nothing, and says how much came from whom, by the path.

const { once } = require('node:events')
const http = require('node:http')

/**
 * @template T
 * @param {(sink: { port: number, received: Map<string, number> }) => Promise<T>} use
 * @returns {Promise<T>}
 */
async function withSink (use) {
  /** @type {Map<string, number>} */
  const received = new Map()
  const server = http.createServer((request, response) => {
    const [, sender] = String(request.url).split('/')
    request.resume().on('end', () => {
      received.set(sender, (received.get(sender) ?? 0) + 1)
      response.end()
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  try {
    return await use({ port: /** @type {import('node:net').AddressInfo} */ (server.address()).port, received })
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

module.exports = { withSink }
