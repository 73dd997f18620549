'use strict'

const net = require('node:net')
const { once } = require('node:events')

const database = net.createServer(socket => socket.on('data', () => setTimeout(() => socket.write('[]'), 700))).listen(0, '127.0.0.1')
const idle = []

async function query () {
  const socket = idle.pop() ?? net.connect(database.address().port, '127.0.0.1')
  socket.write('SELECT')
  await once(socket, 'data')
  idle.push(socket)
}

module.exports = async function orders (request, response) {
  await query()
  response.end('[]')
}
