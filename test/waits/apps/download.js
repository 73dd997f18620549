'use strict'

// A file for clients on slow lines.

const fs = require('node:fs')
const { pipeline } = require('node:stream/promises')

module.exports = async function download (request, response) {
  await pipeline(fs.createReadStream(process.env.LARGE_FILE), response) // the wait
}
