'use strict'

const http = require('node:http')
const { readOrder, readUpload, readNotes } = require('./lib/bodies')
const { streamReport } = require('./lib/report')
const work = require('./lib/work')

async function answer (req, res) {
  const url = new URL(req.url, 'http://localhost')
  const size = Number(url.searchParams.get('size'))
  switch (`${req.method} ${url.pathname}`) {
    case 'GET /primes': return res.end(String(work.countPrimes(size)))
    case 'GET /waves': return work.drainMicrotasks(size, total => res.end(String(total)))
    case 'GET /ticks': return work.drainTicks(size, total => res.end(String(total)))
    case 'GET /report': return streamReport(size, res)
    case 'POST /orders': return readOrder(req, rows => res.end(String(rows)))
    case 'POST /uploads': return readUpload(req, size, sum => res.end(sum))
    case 'POST /notes': return res.end(String(await readNotes(req)))
  }
  res.writeHead(404).end()
}

const server = http.createServer((req, res) => {
  answer(req, res).catch(error => res.writeHead(500).end(error.message))
})

server.listen(process.env.PORT ?? 3000, '127.0.0.1', () => {
  console.log(JSON.stringify({ msg: 'listening', port: server.address().port }))
})
