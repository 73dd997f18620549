'use strict'

const { setTimeout: pause } = require('node:timers/promises')

async function loadComment () {
  await pause(3)
  return `${' '.repeat(9000)}x`
}

module.exports = async function showComment (request, response) {
  const tidy = (await loadComment()).replace(/\s+$/, '') // finding: await-replace
  response.end(String(tidy.length))
}
