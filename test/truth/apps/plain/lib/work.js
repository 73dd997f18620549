'use strict'

function countPrimes (limit) {
  let count = 0
  for (let number = 2; number < limit; number++) {
    let prime = true
    for (let divisor = 2; divisor * divisor <= number; divisor++) {
      if (number % divisor === 0) prime = false // truth: plain handler
    }
    if (prime) count++
  }
  return count
}

function drainMicrotasks (waves, done) {
  let total = 0
  function roll () {
    if (waves-- === 0) return done(total)
    for (let drop = 0; drop < 500; drop++) total += Math.sin(drop * waves) // truth: queueMicrotask chain
    queueMicrotask(roll)
  }
  queueMicrotask(roll)
}

function drainTicks (ticks, done) {
  let total = 0
  process.nextTick(function tick () {
    if (ticks-- === 0) return done(total)
    for (let step = 0; step < 500; step++) total += Math.sinh(step % 20) // truth: plain nextTick chain
    process.nextTick(tick)
  })
}

module.exports = { countPrimes, drainMicrotasks, drainTicks }
