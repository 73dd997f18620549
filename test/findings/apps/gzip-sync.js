'use strict'

const zlib = require('node:zlib')

const rows = Buffer.from(JSON.stringify(Array.from({ length: 60_000 }, (_, id) => ({ id, name: `item ${id * 7919 % 104729}` }))))

module.exports = function exportRows (request, response) {
  response.end(zlib.gzipSync(rows)) // finding: gzip-sync
}
