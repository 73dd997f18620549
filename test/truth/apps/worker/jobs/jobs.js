'use strict'

const { sha3, createMixer } = require('./hashes')
const { openBooks } = require('./books')

/** A job a name. */
async function loadJobs () {
  const books = await openBooks()
  return { polled, flood, nap, sha3, ...books, ...await createMixer() }
}

function polled (rows) {
  const buckets = new Map()
  for (let row = 0; row < rows; row++) {
    buckets.set(row % 1000, (buckets.get(row % 1000) ?? 0) + Math.sin(row)) // truth: interval
  }
}

async function flood (steps) {
  for (let step = 0; step < steps; step++) {
    await foldStep(step)
  }
}

async function foldStep (step) {
  let value = step
  for (let fold = 0; fold < 600; fold++) value = Math.fround(Math.cos(value) * fold) // truth: promise flood in a worker process
  return value
}

async function nap (ms) {
  const cell = new Int32Array(new SharedArrayBuffer(4))
  Atomics.wait(cell, 0, 0, ms) // truth: Atomics.wait
}

module.exports = { loadJobs }
