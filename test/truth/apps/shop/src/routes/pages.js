'use strict'

const express = require('express')
const documents = require('../services/documents')
const sales = require('../services/sales')

const router = express.Router()

async function showInvoice (req, res) {
  const rows = sales.lastRows(Number(req.query.rows))
  const total = rows.length
  res.render('invoice', { number: req.params.number, rows, total }) // truth: ejs
}

router.get('/invoices/:number', showInvoice)

router.post('/help/:topic', (req, res) => {
  const html = documents.helpPage(req.body)
  res.json({ length: html.length })
})

router.post('/preview', (req, res) => {
  const html = documents.preview(req.body)
  res.json({ length: html.length })
})

router.get('/labels', (req, res) => {
  const html = documents.printLabels(Number(req.query.count))
  res.json({ length: html.length })
})

module.exports = router
