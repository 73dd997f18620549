'use strict'

// node examples/leak.js: three leaks that are found with two heap snapshots. A Map of sessions that nobody bounds (/login), a
// listener for each request (/prices), and a timer whose callback keeps what its request made (/watch).
//
//   npx loopscope heap <pid> -o before.heapsnapshot
//   npx autocannon -a 20000 http://127.0.0.1:<port>/login
//   npx loopscope heap <pid> -o after.heapsnapshot --force
//   npx loopscope diff before.heapsnapshot after.heapsnapshot

const crypto = require('node:crypto')
const { EventEmitter } = require('node:events')
const express = require('express')
const diagnostics = require('loopscope')

class Session {
  constructor () {
    this.id = crypto.randomUUID()
    this.basket = []
    this.page = crypto.randomBytes(2048).toString('hex')
  }
}

const sessions = new Map()
const prices = new EventEmitter().setMaxListeners(0)

const app = express()
app.use(diagnostics())

app.get('/login', function login (req, res) {
  const session = new Session()
  sessions.set(session.id, session) // nobody deletes it
  res.json({ id: session.id })
})

app.get('/prices', function watchPrices (req, res) {
  const quote = { article: req.query.article, history: Array.from({ length: 300 }, (_, day) => 100 + Math.sin(day)) }
  prices.on('change', price => { quote.history.push(price) }) // nobody removes it
  res.json({ article: quote.article, price: quote.history.at(-1) })
})

app.get('/watch', function watch (req, res) {
  const order = { lines: Array.from({ length: 20 }, (_, at) => ({ at })), checks: 0 }
  setInterval(() => { order.checks++ }, 60_000).unref() // nobody clears it
  res.json(order)
})

const server = app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', error => {
  if (error) throw error
  console.log(`listening on http://127.0.0.1:${server.address().port}`)
})
