'use strict'

const express = require('express')

const rows = Array.from({ length: 50_000 }, (_, id) => ({ id, name: `row ${id}`, values: [id, id * 2, id * 3] }))
const app = express()
app.use(express.json())
app.use(function timing (request, response, next) { next() })
app.get('/rows/:id', function one (request, response) { response.json(rows[request.params.id]) })
app.get('/rows', function all (request, response) {
  response.json(rows) // finding: express-json
})

module.exports = app
