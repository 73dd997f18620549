'use strict'

module.exports = (request, response) => response.end('hello')
