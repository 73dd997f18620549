'use strict'

const express = require('express')
const orders = require('../services/orders')

const router = express.Router()

router.get('/:id/snapshot', (req, res) => {
  const snapshot = orders.snapshotState(req.params.id, Number(req.query.lines))
  res.json({ id: req.params.id, lines: snapshot.lines.length })
})

router.put('/:id/draft', async (req, res, next) => {
  try {
    const draft = await orders.createDraft(req.params.id, Number(req.query.lines))
    res.json({ lines: draft.lines.length })
  } catch (error) {
    next(error)
  }
})

router.post('/check', (req, res) => {
  res.json({ wrong: orders.countInvalid(Number(req.query.times)) })
})

router.get('/prices', attachRates, (req, res) => {
  res.json({ rates: res.locals.rates })
})

function attachRates (req, res, next) {
  const wanted = Number(req.query.days)
  let rate = 1
  for (let day = 0; day < wanted; day++) rate += Math.sqrt(day) * Math.sin(rate) // truth: middleware of a route
  res.locals.rates = rate
  next()
}

module.exports = router
