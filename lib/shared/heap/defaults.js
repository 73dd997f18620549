'use strict'

// What a heap snapshot may cost, where the application says nothing.

const SNAPSHOT = Object.freeze({
  maxPauseMs: 30_000 // three failed probes of Kubernetes, at its default of one every 10 s: then it restarts the container
})

module.exports = { SNAPSHOT }
