'use strict'

const { bodyParser } = require('@koa/bodyparser')
const Koa = require('koa')
const diagnostics = require('loopscope')
const { router } = require('./routes')
const { signFeeds } = require('./sign-feeds')

const d = diagnostics()
const app = new Koa()

app.use(d.koa)
app.use(bodyParser({ jsonLimit: '320mb' }))
app.use(signFeeds)
app.use(router.routes())

const server = app.listen(process.env.PORT ?? 3000, '127.0.0.1', () => {
  console.log(JSON.stringify({ msg: 'listening', port: server.address().port }))
})
