'use strict'

const { execSync } = require('node:child_process')
const express = require('express')
const { readFeed } = require('../services/supplier-feed')

const router = express.Router()

router.post('/feed', (req, res) => {
  const articles = readFeed(req.body)
  res.json({ articles: articles.length })
})

router.post('/import', (req, res) => {
  res.json({ rows: req.body.rows.length })
})

router.get('/:supplier/ping', (req, res) => {
  const seconds = Number(req.query.ms) / 1e3
  execSync(`sleep ${seconds}`) // truth: execSync
  res.sendStatus(204)
})

module.exports = router
