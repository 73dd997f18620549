'use strict'

const EventEmitter = require('node:events')

const bus = new EventEmitter()
const totals = new Map()

bus.on('order', function updateStatistics (order) {
  for (let line = 0; line < order.lines; line++) {
    const key = 'line ' + line % 5000
    totals.set(key, (totals.get(key) || 0) + order.id) // truth: listener of an emitter
  }
})

module.exports = bus
