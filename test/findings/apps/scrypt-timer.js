'use strict'

const crypto = require('node:crypto')

function renewKeys () {
  crypto.scryptSync('secret', 'salt', 64, { N: 32768, maxmem: 1e8 }) // finding: scrypt-timer
}

setInterval(renewKeys, 400)

module.exports = (request, response) => response.end('ok')
