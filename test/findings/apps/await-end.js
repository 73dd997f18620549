'use strict'

const { setTimeout: pause } = require('node:timers/promises')

async function exportCsv () {
  await pause(3)
  return 'é,'.repeat(20e6)
}

module.exports = async function download (request, response) {
  response.end(await exportCsv()) // finding: await-end
}
