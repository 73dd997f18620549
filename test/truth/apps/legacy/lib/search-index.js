'use strict'

const index = new Map()

function rebuild (documents) {
  index.clear()
  for (let id = 0; id < documents; id++) {
    index.set(id % 5000, (index.get(id % 5000) || 0) + Math.sin(id)) // truth: timer of a request
  }
}

function optimise (documents, done) {
  let gaps = 0
  for (let id = 1; id < documents; id++) gaps += Math.hypot(id, id % 7) > 1e6 ? 1 : 0 // truth: setImmediate of a request
  done(gaps)
}

module.exports = { rebuild, optimise }
