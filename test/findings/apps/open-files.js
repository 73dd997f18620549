'use strict'

const fs = require('node:fs')

const kept = []

module.exports = function tail (request, response) {
  fs.open(__filename, (error, file) => {
    if (error !== null || kept.push(file) <= 200) return response.end(String(error))
    fs.close(kept.pop(), () => response.end('full'))
  })
}
