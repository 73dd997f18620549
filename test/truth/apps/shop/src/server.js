'use strict'

const { createApp } = require('./app')

const server = createApp().listen(process.env.PORT ?? 3000, '127.0.0.1', () => {
  console.log(JSON.stringify({ msg: 'listening', port: server.address().port }))
})
