'use strict'

const express = require('express')
const users = require('../services/users')

const router = express.Router()

router.post('/login', async (req, res) => {
  const user = await users.findByName(req.body.name, req.body.rounds)
  if (!users.isPassword(user, req.body.password)) return res.sendStatus(401)
  res.json({ name: user.name })
})

router.post('/import', async (req, res) => {
  const imported = await users.importUsers(req.body.names, req.body.count)
  res.json({ imported: imported.length })
})

router.put('/profile', (req, res) => {
  res.json({ bio: users.tidyBio(req.body.bio) })
})

module.exports = router
