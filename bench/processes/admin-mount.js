'use strict'

// An Express server that says hello, with the admin surface mounted or not, as it was last told: both in one process, since
// two processes of the same code differ by more than what is measured.

const express = require('express')
const { serveAnswers } = require('../harness/answers')
const diagnostics = require('../..')

const ways = {
  mounted: diagnostics({ token: 'a-token-of-at-least-thirty-two-characters', controlSocket: false }),
  absent: diagnostics({ path: false, controlSocket: false })
}
let way = ways.absent

const app = express()
app.use((request, response, next) => way(request, response, next))
app.get('/', (request, response) => { response.send('hello world') })

const server = app.listen(0, '127.0.0.1', () => {
  serveAnswers(server.address(), { use: (/** @type {keyof typeof ways} */ name) => { way = ways[name] } })
})
