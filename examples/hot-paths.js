// node examples/hot-paths.js
'use strict'

// Four synchronous habits of real services under a short load of its own, and what the sync-call detector says about them:
// a password hash, a session with a signed token, a template read for each page, and the time asked for with each message.

const crypto = require('node:crypto')
const fs = require('node:fs')
const { once } = require('node:events')
const express = require('express')
const jwt = require('jsonwebtoken')
const diagnostics = require('loopscope')

const MAX_LOAD_MS = 30_000
const MESSAGES_PER_BATCH = 5000 // a hundred batches a second at most
const WANTED = ['crypto.pbkdf2Sync', 'crypto.randomBytes', 'crypto.createSign().sign', 'fs.readFileSync', 'Date.now']

const { privateKey } = crypto.generateKeyPairSync('rsa', { modulusLength: 2048 })
// signatures are watched only when they are asked for
const d = diagnostics({ appName: 'hot-paths', signals: false, syncCalls: { apis: ['*', 'crypto.createSign().sign'] } })
const app = express()
app.use(d)

app.post('/auth', function checkPassword (req, res) {
  crypto.pbkdf2Sync('password', 'salt', 20_000, 64, 'sha512')
  res.send('ok')
})

app.post('/login', function logIn (req, res) {
  const session = crypto.randomBytes(1_000_000).toString('hex', 0, 16)
  res.send(jwt.sign({ session }, privateKey, { algorithm: 'RS256' }))
})

app.get('/page', function showPage (req, res) {
  const template = fs.readFileSync(__filename, 'utf8')
  res.send(template.replace('{{title}}', 'hello'))
})

function onMessages () {
  for (let message = 0; message < MESSAGES_PER_BATCH; message++) Date.now()
}

/** Ends when every habit is known, and the one that is only counted is flagged. */
async function load (address) {
  const until = performance.now() + MAX_LOAD_MS
  while (performance.now() < until && !isKnown(await d.syncCalls())) {
    await Promise.all([['POST', '/auth'], ['POST', '/login'], ['GET', '/page']]
      .map(async ([method, path]) => (await fetch(address + path, { method })).text()))
  }
}

function isKnown ({ exact, sampled }) {
  return WANTED.every(api => exact.some(site => site.api === api)) && exact.find(({ api }) => api === 'Date.now').flagged && sampled.length > 0
}

function print ({ exact, sampled, pool }) {
  for (const { api, callSite: { function: name, file, line }, calls, totalMs, routes: [{ route }], flagged, advice } of exact) {
    console.log(`\n${flagged ? 'FLAGGED ' : ''}${api} in ${name} (${file}:${line})${route === null ? '' : ` for ${route}`}: ${calls} calls, ${totalMs.toFixed(1)} ms`)
    console.log(`  why: ${advice.why}\n  fix: ${advice.instead}\n  ${advice.link}`)
  }
  console.log('\nThe same from the samples of the profiler, which wraps nothing:')
  for (const { api, callSite, ms, share } of sampled) console.log(`  ${api} in ${callSite.function} (${callSite.file}): ${Math.round(ms)} ms, ${Math.round(share * 100)} % of busy time`)
  console.log(`Tasks that waited for libuv's thread pool: ${pool.queued}`)
}

async function main () {
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const messages = setInterval(onMessages, 10)
  await load(`http://127.0.0.1:${server.address().port}`)
  print(await d.syncCalls())
  clearInterval(messages)
  server.close()
  server.closeAllConnections()
  await d.close()
}

main()
