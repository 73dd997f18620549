'use strict'

// As much of a Redis server as a client needs for commands to be answered: each with the same short text. It tells its parent its port.

const net = require('node:net')

const ANSWER = '$5\r\nhello\r\n'

const server = net.createServer(socket => {
  socket.setNoDelay()
  socket.on('error', () => socket.destroy())
  // A command is an array of texts, and begins with its length: `*2\r\n$3\r\nget\r\n…`. None of the texts has a star in it.
  socket.on('data', data => socket.write(ANSWER.repeat(data.toString('latin1').split('*').length - 1)))
})

server.listen(0, '127.0.0.1', () => {
  process.send?.(/** @type {import('node:net').AddressInfo} */ (server.address()).port)
})
process.on('disconnect', () => process.exit())
