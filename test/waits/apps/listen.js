'use strict'

// node --require loopscope/register listen.js <file>: one application of this folder, behind node:http. It prints where it listens.

const http = require('node:http')
const path = require('node:path')

const server = http.createServer(require(path.join(__dirname, process.argv[2])))
server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ msg: 'listening', port: server.address().port })))
