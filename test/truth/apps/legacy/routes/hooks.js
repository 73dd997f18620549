'use strict'

const express = require('express4')

const router = express.Router()

router.post('/:source', function (req, res) {
  const chunks = []
  req.on('data', function (chunk) { chunks.push(chunk) })
  req.on('end', function readHook () {
    const text = Buffer.concat(chunks).toString()
    const hook = JSON.parse(text) // truth: end of a body in Express
    res.json({ entries: hook.rows.length })
  })
})

module.exports = router
