'use strict'

function rankTitles (term, count) {
  let best = { distance: Infinity }
  for (let index = 0; index < count; index++) {
    const title = `the title of book ${index * 7919 % 1009}`
    const distance = distanceOf(term, title)
    if (distance < best.distance) best = { title, distance }
  }
  return best
}

function distanceOf (left, right) {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index)
  for (let i = 1; i <= left.length; i++) {
    const next = [i]
    for (let j = 1; j <= right.length; j++) { // truth: Fastify handler after await
      const cost = left[i - 1] === right[j - 1] ? 0 : 1 // truth: Fastify handler after await
      next[j] = Math.min(next[j - 1] + 1, row[j] + 1, row[j - 1] + cost) // truth: Fastify handler after await
    }
    row = next
  }
  return row[right.length]
}

module.exports = { rankTitles }
