'use strict'

// node examples/demo/app.js: the application of the demo, an Express app with Prometheus metrics that checks passwords,
// once the wrong way (/auth) and once the right way (/auth2). The line with diagnostics() is all it does for loopscope.

const crypto = require('node:crypto')
const express = require('express')
const { register } = require('prom-client')
const diagnostics = require('loopscope')

const users = new Map()
const app = express()
app.use(diagnostics({ registry: register }))

app.get('/newUser', function newUser (req, res) {
  const { username, password } = req.query
  if (!username || !password || users.has(username)) return res.sendStatus(400)
  const salt = crypto.randomBytes(128).toString('base64')
  users.set(username, { salt, hash: crypto.pbkdf2Sync(password, salt, 10000, 512, 'sha512') })
  res.sendStatus(200)
})

app.get('/auth', function auth (req, res) {
  const user = users.get(req.query.username)
  if (!user || !req.query.password) return res.sendStatus(400)
  const hash = crypto.pbkdf2Sync(req.query.password, user.salt, 10000, 512, 'sha512')
  res.sendStatus(crypto.timingSafeEqual(user.hash, hash) ? 200 : 401)
})

app.get('/auth2', function auth2 (req, res, next) {
  const user = users.get(req.query.username)
  if (!user || !req.query.password) return res.sendStatus(400)
  crypto.pbkdf2(req.query.password, user.salt, 10000, 512, 'sha512', (error, hash) => {
    if (error) return next(error)
    res.sendStatus(crypto.timingSafeEqual(user.hash, hash) ? 200 : 401)
  })
})

app.get('/metrics', async function metrics (req, res) {
  res.type(register.contentType).send(await register.metrics())
})

const server = app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', error => {
  if (error) throw error
  console.log(`listening on http://127.0.0.1:${server.address().port}`)
})
