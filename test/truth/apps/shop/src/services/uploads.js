'use strict'

const fs = require('node:fs')

function checkUploads (count) {
  let bytes = 0
  for (let index = 0; index < count; index++) {
    const content = fs.readFileSync(__filename) // truth: readFileSync
    bytes += content.length
  }
  return { bytes }
}

module.exports = { checkUploads }
