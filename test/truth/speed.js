'use strict'

// How fast this machine is for what the cases do, so that their first size is about right.

const ROUNDS = 20
const TEXT = JSON.stringify(Array.from({ length: 3000 }, (_, index) => ({ index, name: `name ${index}`, tags: ['a', 'b'] })))

// Of all the rounds on the machine for which the sizes in cases.js were found.
const REFERENCE_MS = 25

/** @returns {number} 2: twice as fast as that machine */
function speedOfMachine () {
  measure()
  const speed = REFERENCE_MS / measure()
  return Math.min(4, Math.max(0.1, speed))
}

function measure () {
  const from = performance.now()
  let sum = 0
  for (let round = 0; round < ROUNDS; round++) {
    for (const { index, name } of JSON.parse(TEXT)) sum += Math.sin(index) * name.length
  }
  return performance.now() - from + (sum === 0.5 ? 1 : 0)
}

module.exports = { speedOfMachine, measure }
