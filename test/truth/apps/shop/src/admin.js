'use strict'

const express = require('express')

const admin = express()

admin.get('/users/:id/audit', (req, res) => {
  res.json(buildAudit(Number(req.params.id), Number(req.query.days)))
})

/** Every day against every other one: nobody noticed while there were thirty of them. */
function buildAudit (user, days) {
  let conflicts = 0
  for (let day = 0; day < days; day++) {
    for (let other = 0; other < days; other++) if ((day * 31 + other * user) % 97 === 0) conflicts++ // truth: sub-app
  }
  return { user, conflicts }
}

module.exports = admin
