'use strict'

const EventEmitter = require('node:events')

const bus = new EventEmitter()

bus.once('ready', () => {})
bus.on('announced', count => {
  recount(count)
})

function recount (count) {
  const seen = {}
  for (let index = 0; index < count; index++) {
    const key = `k${index % 999}`
    seen[key] = (seen[key] ?? 0) + 1 // truth: listener in a worker process
  }
  return seen
}

module.exports = { bus }
