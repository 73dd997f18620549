'use strict'

const Readable = require('node:stream').Readable
const express = require('express4')
const packer = require('../lib/packer')

const router = express.Router()

router.get('/:name.bin', function (req, res) {
  Readable.from([Buffer.alloc(Number(req.query.bytes), 'loopscope and its shop ')]).pipe(packer.create()).pipe(res)
})

module.exports = router
