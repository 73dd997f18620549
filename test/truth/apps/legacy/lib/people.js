'use strict'

const fs = require('node:fs')
const _ = require('lodash')

const PEOPLE = _.times(20000, function (index) {
  return { name: 'Person ' + index, town: 'Town ' + index % 300, age: index % 90 }
})

function withoutDuplicates (limit) {
  const people = PEOPLE.slice(0, limit)
  const unique = _.uniqWith(people, _.isEqual) // truth: lodash with a callback of its own
  return unique
}

function readFriends (times, callback) {
  fs.readFile(__filename, 'utf8', function countFriends (error, text) {
    if (error) return callback(error)
    let words = 0
    for (let round = 0; round < times; round++) {
      words += text.split(/\W+/).length // truth: callback of readFile
    }
    callback(null, words)
  })
}

async function recommend (id, candidates) {
  const best = { id, score: 0 }
  for (let index = 0; index < candidates; index++) {
    const score = await scoreOf(index)
    if (score > best.score) best.score = score
  }
  return best
}

async function scoreOf (candidate) {
  let score = 0
  for (let index = 0; index < 800; index++) score += Math.sin(candidate * index) // truth: microtask flood
  return score
}

module.exports = { withoutDuplicates, readFriends, recommend }
