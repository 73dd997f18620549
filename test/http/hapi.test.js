'use strict'

// hapi's requests, as its request.js makes them: the route is known once hapi has found it.

const { test } = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { IncomingMessage } = require('node:http')
const { HAPI_REQUESTS } = require('../../lib/probe/http/adapters/hapi')
const { FrameworkWatch } = require('../../lib/probe/http/set-route')
const { handlersOf, routeInFlight, routeOf } = require('../../lib/probe/http/route-template')
const { makeScratch } = require('../store/scratch')

const REQUEST = `
module.exports = class Request {
  static generate (server, req) { return new this(req) }
  constructor (req) {
    this.raw = { req }
    this.route = { method: '_special', path: '/{p*}', settings: {} }
  }
}
`

test('the template once hapi has routed the request, none for what no route takes, and its function as it was afterwards', t => {
  const folder = makeScratch(t)
  const file = path.join(folder, 'node_modules/@hapi/hapi/lib/request.js')
  fs.mkdirSync(path.dirname(file), { recursive: true })
  fs.writeFileSync(file, REQUEST)
  const Request = require(file)
  const { generate } = Request
  const watch = new FrameworkWatch(HAPI_REQUESTS)
  watch.start()
  watch.attachToLoaded()
  watch.attachToLoaded()
  const raw = Object.assign(new IncomingMessage(null), { method: 'GET', url: '/users/ann-of-green-gables' })
  const request = Request.generate({}, raw)
  assert.deepEqual([routeInFlight(raw), routeOf(raw)], [null, 'GET _unmatched'])
  const handler = () => 'a user'
  request.route = { method: 'get', path: '/users/{name}', settings: { handler } }
  assert.deepEqual([routeInFlight(raw), routeOf(raw), handlersOf(raw)], ['GET /users/{name}', 'GET /users/{name}', [handler]])
  watch.stop()
  assert.equal(Request.generate, generate)
})
