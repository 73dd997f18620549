'use strict'

const zlib = require('node:zlib')
const express = require('express')
const sales = require('../services/sales')
const { checkUploads } = require('../services/uploads')

const router = express.Router()

router.get('/export.csv.gz', (req, res) => {
  const csv = sales.lastRows(Number(req.query.rows)).map(row => `${row.id};${row.customer};${row.amount}`).join('\n')
  const packed = zlib.gzipSync(csv, { level: 9 }) // truth: gzipSync
  res.type('application/gzip').send(packed)
})

router.get('/uploads', (req, res) => {
  res.json(checkUploads(Number(req.query.count)))
})

module.exports = router
