'use strict'

// A small service that asks itself for a few stalls and prints what is known of them. The suffix makes Deno read it as CommonJS.

const express = require('express')
const diagnostics = require('../..')

const observed = diagnostics()
const app = express()
app.use(observed)
app.get('/spin/:ms', function spin (request, response) {
  const until = performance.now() + Number(request.params.ms)
  while (performance.now() < until);
  response.send('ok')
})

const server = app.listen(0, '127.0.0.1', async () => {
  const get = async ms => (await fetch(`http://127.0.0.1:${server.address().port}/spin/${ms}`)).text()
  for (let i = 0; i < 10; i++) await get(5)
  const reported = []
  observed.on('stall', stall => reported.push(stall))
  while (reported.length < 3) {
    await get(400)
    await new Promise(resolve => { setTimeout(resolve, 300) })
  }
  const [stalls, { findings }, capture] = await Promise.all([observed.stalls(), observed.findings(), observed.capture('cpu', { last: 5 }).catch(({ code }) => code)])
  console.log(JSON.stringify({ result: { stalls, delay: observed.delay(), findings, capture } }))
  await observed.close()
  server.close()
  process.exit()
})
