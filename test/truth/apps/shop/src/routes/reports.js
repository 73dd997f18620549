'use strict'

const express = require('express')
const { packArchive } = require('../services/archive')
const { renderDigest } = require('../services/mail')
const sales = require('../services/sales')

const router = express.Router()

router.get('/sales', (req, res) => {
  const rows = sales.lastRows(Number(req.query.rows))
  res.set('Cache-Control', 'no-store')
  res.json(rows) // truth: res.json
})

router.get('/archive/:year', async (req, res) => {
  const packed = await packArchive(req.params.year, Number(req.query.rows))
  res.json({ bytes: packed.length })
})

router.post('/digest', (req, res) => {
  const html = renderDigest(Number(req.query.rows))
  res.type('html').send(html.slice(0, 200))
})

module.exports = router
