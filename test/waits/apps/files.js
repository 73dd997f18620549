'use strict'

// A file on a slow disk: whoever reads it waits until somebody writes.

const fs = require('node:fs')

async function readCatalog () {
  return fs.promises.readFile(process.env.SLOW_FILE, 'utf8') // the wait
}

module.exports = async function catalog (request, response) {
  const text = await readCatalog()
  response.end(text)
}
