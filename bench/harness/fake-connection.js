'use strict'

// A keep-alive connection without a network: requests are written into the server's own parser, answers are thrown away. What the
// kernel does for a request takes longer than what is measured.

const { Duplex } = require('node:stream')

/**
 * @param {import('node:http').Server} server
 * @param {string[]} [paths]  asked for in turn
 * @param {(path: string) => Buffer[]} [chunksOf]  of a request to it
 */
function fakeConnection (server, paths = ['/'], chunksOf = path => [Buffer.from(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`)]) {
  const requests = paths.map(chunksOf)
  let remaining = 0
  let sent = 0
  let done = () => {}
  const socket = new Duplex({
    read () {},
    write (chunk, encoding, written) {
      written()
    }
  })
  // As every connection has them; the first request tells where the diagnostics are.
  Object.assign(socket, { localAddress: '127.0.0.1', localPort: 80, localFamily: 'IPv4' })
  server.emit('connection', socket)

  function next () {
    if (remaining-- <= 0) return done()
    for (const chunk of requests[sent++ % requests.length]) socket.push(chunk)
  }

  return {
    /** To be called once a request is answered. */
    answered () {
      setImmediate(next)
    },
    /**
     * One after the other.
     * @param {number} count
     * @returns {Promise<void>}
     */
    send (count) {
      remaining = count
      return new Promise(resolve => {
        done = resolve
        next()
      })
    }
  }
}

module.exports = { fakeConnection }
