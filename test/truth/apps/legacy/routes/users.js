'use strict'

const crypto = require('node:crypto')
const express = require('express4')
const people = require('../lib/people')

const router = express.Router()

router.get('/duplicates', function (req, res) {
  const unique = people.withoutDuplicates(Number(req.query.limit))
  res.json({ unique: unique.length })
})

router.get('/:id/token', function issueToken (req, res) {
  const cost = Number(req.query.cost)
  const parts = []
  for (let index = 0; index < cost; index++) {
    parts.push(crypto.scryptSync(req.params.id, 'salt' + index, 32, { N: 4096 })) // truth: scryptSync in a loop
  }
  res.json({ token: parts.pop().toString('base64') })
})

router.get('/:id/friends', function (req, res, next) {
  people.readFriends(Number(req.query.times), function (error, count) {
    if (error) return next(error)
    res.json({ count })
  })
})

router.get('/:id/recommendations', function (req, res, next) {
  people.recommend(req.params.id, Number(req.query.candidates)).then(function (best) {
    res.json(best)
  }, next)
})

module.exports = router
