'use strict'

const express = require('express4')

const app = express()

app.use('/users', require('./routes/users'))
app.use('/orders', require('./routes/orders'))
app.use('/v1/tenants/:tenant', require('./routes/tenants'))
app.use('/exports', require('./routes/exports'))
app.use('/hooks', require('./routes/hooks'))

const server = app.listen(process.env.PORT || 3000, '127.0.0.1', function () {
  console.log(JSON.stringify({ msg: 'listening', port: server.address().port }))
})
