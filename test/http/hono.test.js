'use strict'

// Hono's contexts, as @hono/node-server makes them: the route is known once the request was read from the context.

const { test } = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { IncomingMessage } = require('node:http')
const { HonoWatch } = require('../../lib/probe/http/adapters/hono')
const { routeOf } = require('../../lib/probe/http/route-template')
const { makeScratch } = require('../store/scratch')

const CONTEXT = `
exports.Context = class Context {
  #matched
  constructor (incoming, path) {
    this.env = { incoming }
    this.#matched = { matchedRoutes: [{ path: '/users/*' }, { path }] }
  }
  get req () { return this.#matched }
}
`

test('the template, once a handler has read the request; the masked path before, and its prototype as it was afterwards', t => {
  const folder = makeScratch(t)
  const file = path.join(folder, 'node_modules/hono/dist/cjs/context.js')
  fs.mkdirSync(path.dirname(file), { recursive: true })
  fs.writeFileSync(file, CONTEXT)
  const { Context } = require(file)
  const { get } = Object.getOwnPropertyDescriptor(Context.prototype, 'req')
  const watch = new HonoWatch()
  watch.start()
  watch.attachToLoaded()
  const request = Object.assign(new IncomingMessage(null), { method: 'GET', url: '/users/42' })
  const context = new Context(request, '/users/:name')
  assert.equal(routeOf(request), 'GET /users/:id')
  assert.equal(context.req.matchedRoutes.length, 2)
  assert.equal(routeOf(request), 'GET /users/:name')
  watch.stop()
  assert.equal(Object.getOwnPropertyDescriptor(Context.prototype, 'req').get, get)
})
