'use strict'

// Small functions that V8 compiles into their callers, which are in other files.

function weigh (left, right) {
  let weight = 0
  for (let step = 1; step < 60; step++) {
    weight += Math.sqrt(left * step) / (right + step) // truth: callbacks in callbacks
  }
  return weight
}

function mix (seed) {
  let mixed = seed
  for (let round = 0; round < 300; round++) mixed = Math.imul(mixed ^ (mixed >>> 15), 2246822519) // truth: callee in another file
  return mixed
}

module.exports = { mix, weigh }
