'use strict'

// A form, from clients on slow lines.

module.exports = async function upload (request, response) {
  let bytes = 0
  for await (const chunk of request) bytes += chunk.length // the wait
  response.end(String(bytes))
}
