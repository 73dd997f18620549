'use strict'

const express = require('express4')

const router = express.Router({ mergeParams: true })

router.get('/usage', function (req, res) {
  res.json(usageOf(req.params.tenant, Number(req.query.hours)))
})

function usageOf (tenant, hours) {
  const usage = { tenant, peak: 0 }
  for (let hour = 0; hour < hours; hour++) {
    usage.peak = Math.max(usage.peak, Math.sin(hour) * Math.cos(hour / 24)) // truth: router below a parameter
  }
  return usage
}

module.exports = router
