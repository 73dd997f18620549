'use strict'

// A keep-alive connection without a network: requests are written into the server's own parser, answers are thrown away. What the
// kernel does for a request takes longer than what is measured.

const { Duplex } = require('node:stream')

const REQUEST = Buffer.from('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')

/** @param {import('node:http').Server} server */
function fakeConnection (server) {
  let remaining = 0
  let done = () => {}
  const socket = new Duplex({
    read () {},
    write (chunk, encoding, written) {
      written()
    }
  })
  server.emit('connection', socket)

  function next () {
    if (remaining-- > 0) socket.push(REQUEST)
    else done()
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
