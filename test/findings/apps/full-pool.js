'use strict'

const crypto = require('node:crypto')

module.exports = function login (request, response) {
  crypto.pbkdf2('a password', 'salt', 60_000, 64, 'sha512', (error, hash) => response.end(error ? 'no' : hash.toString('hex')))
}
