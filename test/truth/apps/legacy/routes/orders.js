'use strict'

const express = require('express4')
const bus = require('../lib/bus')
const drain = require('../lib/queue').drain
const index = require('../lib/search-index')

const router = express.Router()

router.use(express.json())

router.post('/', function (req, res) {
  bus.emit('order', { id: 1, lines: Number(req.body.lines) })
  res.status(201).end()
})

router.post('/reindex', function (req, res) {
  res.status(202).end()
  setTimeout(function () {
    index.rebuild(req.body.documents)
  }, 10)
})

router.post('/flush', function (req, res) {
  drain(req.body.entries, function (total) {
    res.json({ total })
  })
})

router.post('/later', function (req, res) {
  setImmediate(index.optimise, req.body.documents, function (gaps) {
    res.json({ gaps })
  })
})

module.exports = router
