// node examples/express-esm.mjs, then: curl <address>/profile > flame.html
// An ES module. GET /profile answers with a flame graph of the last ten seconds: whoever may see your code may call it,
// nobody else, so a real service puts its own authentication before such a route.

import express from 'express'
import diagnostics from 'loopscope'

const app = express()
const d = diagnostics({ stallThresholdMs: 50 })
app.use(d)

d.on('stall', ({ durationMs, route, culprit }) => {
  console.log(`late by ${durationMs} ms in ${route ?? 'no request'}: ${culprit ? `${culprit.file}:${culprit.line}` : 'unknown code'}`)
})

app.get('/fibonacci/:n', function fibonacciRoute (req, res) {
  res.json(fibonacci(Math.min(40, Number(req.params.n))))
})

app.get('/profile', async (req, res) => {
  const artifact = await d.capture('cpu', { last: 10, format: 'flamegraph' })
  res.type(artifact.contentType)
  artifact.stream().pipe(res)
})

function fibonacci (n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2)
}

const server = app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', error => {
  if (error) throw error
  console.log(`listening on http://127.0.0.1:${server.address().port}, pid ${process.pid}`)
})
