'use strict'

const express = require('express')
const catalogue = require('../services/catalogue')

const router = express.Router()

router.get('/', (req, res) => {
  const items = catalogue.sortByName(Number(req.query.limit))
  res.json({ first: items[0] })
})

router.post('/reload', async (req, res) => {
  const count = await catalogue.loadCatalogue(Number(req.query.items))
  res.json({ count })
})

router.put('/settings', (req, res) => {
  res.json({ shelves: catalogue.readShelves(req.body).length })
})

module.exports = router
