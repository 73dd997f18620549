'use strict'

const { weigh } = require('./numbers')

const NAMES = Array.from({ length: 500 }, (_, index) => `name ${index * 7919 % 503}`)
const namesOf = size => Array.from({ length: size }, (_, index) => NAMES[index * 31 % NAMES.length])

function sorting (size) {
  return namesOf(size).sort(byLetters).length
}

function byLetters (left, right) {
  let sum = 0
  for (let at = 0; at < 200; at++) sum += (left.charCodeAt(at % 6) - right.charCodeAt(at % 6)) * (at % 3) // truth: named comparator
  return sum
}

function replacing (size) {
  const text = NAMES.join(' ').repeat(size)
  return text.replace(/\d+/g, digits => { // truth: callback of replace
    let value = 0
    for (let round = 0; round < 400; round++) value = (value * 31 + digits.charCodeAt(round % digits.length)) % 65521
    return value
  }).length
}

function reducing (size) {
  return namesOf(size).reduce(addLetters, 0)
}

function addLetters (sum, name) {
  for (let round = 0; round < 300; round++) sum = (sum * 33 + name.charCodeAt(round % name.length)) % 65521 // truth: callback of reduce
  return sum
}

function mapping (size) {
  return Array.from({ length: size }, function toCode (_, index) {
    let code = index
    for (let round = 0; round < 300; round++) code = Math.imul(code, 31) + round // truth: callback of Array.from
    return code
  }).length
}

function nesting (size) {
  let total = 0
  namesOf(size).forEach(left => {
    NAMES.filter(name => name < left).forEach(right => {
      total += weigh(left.length, right.length)
    })
  })
  return total
}

function bound (size) {
  const check = countMatches.bind(null, NAMES)
  return check(size)
}

function countMatches (names, rounds) {
  let matches = 0
  for (let round = 0; round < rounds; round++) {
    if (names[round % names.length].endsWith(String(round % 10))) matches++ // truth: bound function
  }
  return matches
}

const timed = work => function timing (size) {
  const from = performance.now()
  const result = work(size)
  return [result, performance.now() - from]
}

const decorated = timed(function tally (size) {
  const counts = new Array(10).fill(0)
  for (let index = 0; index < size; index++) counts[Math.floor(Math.sin(index) ** 2 * 9)]++ // truth: decorated function
  return counts
})

module.exports = { sorting, replacing, reducing, mapping, nesting, bound, decorated }
