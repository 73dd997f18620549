'use strict'

const crypto = require('node:crypto')

module.exports = (request, response) => {
  crypto.pbkdf2('a password', 'salt', 1000, 64, 'sha512', (error, hash) => response.end(error ? 'no' : hash.toString('hex')))
}
