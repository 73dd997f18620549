'use strict'

const crypto = require('node:crypto')

module.exports = function login (request, response) {
  const hash = crypto.pbkdf2Sync('a password', 'salt', 100_000, 64, 'sha512') // finding: pbkdf2-sync
  response.end(hash.toString('hex'))
}
