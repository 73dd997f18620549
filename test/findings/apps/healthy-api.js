'use strict'

const express = require('express')
const { setTimeout: sleep } = require('node:timers/promises')

const items = Array.from({ length: 200 }, (_, id) => ({ id, name: `item ${id}`, price: id * 1.5 }))
const app = express()
app.use(express.json())
app.get('/items', async (request, response) => {
  await sleep(20) // a query
  response.json(items.filter(({ id }) => id % 3 === 0).map(item => ({ ...item, total: item.price * 1.2 })))
})

module.exports = app
