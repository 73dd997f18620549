'use strict'

const fs = require('node:fs')

module.exports = function page (request, response) {
  let bytes = 0
  for (let part = 0; part < 2; part++) bytes += load()
  response.end(String(bytes))
}

function load () {
  return fs.readFileSync(process.execPath).length // finding: read-file-sync
}
