'use strict'

const { pbkdf2Sync } = require('node:crypto')
const express = require('express')

const partner = express()
const keys = express.Router({ mergeParams: true })

keys.post('/', (req, res) => {
  const { secret, rounds } = req.body
  const salt = `partner-${req.params.partner}`
  const key = pbkdf2Sync(secret, salt, rounds, 64, 'sha512') // truth: sub-app with a router
  res.status(201).json({ key: key.toString('hex') })
})

partner.use('/:partner/keys', keys)

module.exports = partner
