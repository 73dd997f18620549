'use strict'

// node --require loopscope/register serve.js <file>: a server of node:http around the handler of one small application. It says where it
// listens.

const http = require('node:http')
const path = require('node:path')

const handle = require(path.join(__dirname, process.argv[2]))
const server = http.createServer(handle)
server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ msg: 'listening', port: server.address().port })))
