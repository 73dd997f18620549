'use strict'

const sessions = []
const MAX = 150_000_000 // of the 200 MB that there is room for
const BYTES = 10_000 // small ones: of large ones V8 fits few into a page, and the heap is full long before

module.exports = function visit (request, response) {
  if (sessions.length * BYTES < MAX) {
    for (let left = 10; left > 0; left--) sessions.push(Array.from({ length: BYTES / 8 }, (_, index) => index + 0.5))
  }
  response.end(String(sessions.length))
}
