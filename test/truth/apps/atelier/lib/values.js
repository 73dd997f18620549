'use strict'

// What is written as a value and takes long.

const ROWS = Array.from({ length: 1000 }, (_, id) => ({ id, name: `Name ${id}` }))

class Price {
  constructor (cents) {
    this.cents = cents
  }

  toJSON () {
    let text = ''
    for (let at = 0; at < 40; at++) text = String(this.cents * at % 977) // truth: toJSON
    return text
  }
}

function converting (size) {
  const prices = Array.from({ length: size }, (_, cents) => new Price(cents))
  return JSON.stringify(prices).length // truth: toJSON
}

function merging (size) {
  let all = {}
  for (let index = 0; index < size; index++) {
    all = { ...all, [`key ${index}`]: index } // truth: spread in a loop
  }
  return Object.keys(all).length
}

function multiplying (size) {
  let product = 1n
  for (let factor = 1n; factor < size; factor++) {
    product *= factor // truth: BigInt
  }
  return product & 255n
}

function searching (size) {
  const seen = []
  for (let index = 0; index < size; index++) {
    if (!seen.includes(index * 7919 % size)) seen.push(index * 7919 % size) // truth: includes in a loop
  }
  return seen.length
}

function formatting (size) {
  let length = 0
  for (let index = 0; index < size; index++) {
    length += new Date(index * 1e7).toLocaleDateString('de-DE').length // truth: toLocaleDateString
  }
  return length
}

function climbing (size) {
  return climb(Math.round(Math.log2(size + 2)))
}

function climb (stairs) { // truth: recursion
  if (stairs < 2) return 1
  return climb(stairs - 1) + climb(stairs - 2) // truth: recursion
}

function joining (size) {
  const rows = []
  while (rows.length < size) rows.push(ROWS[rows.length % ROWS.length])
  const names = rows.map(({ name }) => name)
  return JSON.parse(JSON.stringify(names)).length // truth: copy by JSON
}

module.exports = { converting, merging, multiplying, searching, formatting, climbing, joining }
