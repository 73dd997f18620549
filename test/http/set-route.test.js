'use strict'

const { test, beforeEach } = require('node:test')
const assert = require('node:assert/strict')
const { IncomingMessage } = require('node:http')
const { createSetRoute } = require('../../lib/probe/http/set-route')
const { routeOf } = require('../../lib/probe/http/route-template')
const { forgetWarnings } = require('../../lib/base/warnings')

beforeEach(forgetWarnings)

function createSubject (current) {
  const logged = []
  const setRoute = createSetRoute({ context: { current: () => current }, logger: { warn: ({ code }, message) => logged.push(`${code} ${message}`) } })
  return { setRoute, logged }
}

function createRequest () {
  const request = Object.assign(new IncomingMessage(null), { method: 'GET', url: '/users/jo', httpVersionMajor: 1, httpVersionMinor: 1 })
  request.httpVersion = '1.1'
  return request
}

test('a template set by the application precedes that of the framework, and the last one counts', () => {
  const { setRoute, logged } = createSubject()
  const request = Object.assign(createRequest(), { route: { path: '/from-express' } })
  setRoute(request, '/first')
  setRoute(request, '/users/:name')
  assert.equal(routeOf(request), 'GET /users/:name')
  assert.deepEqual([Object.keys(request).includes('template'), logged], [false, []])
})

test('it works on what frameworks make of a request', () => {
  const { setRoute } = createSubject()
  for (const wrap of [raw => ({ raw, url: '/', method: 'GET' }), req => ({ req, method: 'GET', url: '/' }), incoming => ({ env: { incoming }, req: { raw: {} } })]) {
    const request = createRequest()
    setRoute(wrap(request), '/users/:name')
    assert.equal(routeOf(request), 'GET /users/:name')
  }
})

test('where no request is given, it is the one that is being worked on', () => {
  const request = createRequest()
  createSubject({ request }).setRoute(new Request('http://x/users/jo'), '/users/:name')
  assert.equal(routeOf(request), 'GET /users/:name')
})

test('nothing throws: what is no template or no request is left out, with one warning', () => {
  for (const template of [undefined, null, 7, '', 'users', '/with space', '/new\nline', `/${'x'.repeat(300)}`, {}]) {
    forgetWarnings()
    const { setRoute, logged } = createSubject()
    const request = createRequest()
    setRoute(request, template)
    setRoute(request, template)
    assert.equal(routeOf(request), 'GET /users/jo')
    assert.equal(logged.length, 1)
    assert.match(logged[0], /^LOOPSCOPE_WARN_ROUTE .*begins with "\/"/)
  }
  for (const request of [undefined, null, 7, 'text', {}, { get raw () { throw new Error('trap') } }, Object.freeze(createRequest())]) {
    forgetWarnings()
    const { setRoute, logged } = createSubject()
    setRoute(request, '/users/:name')
    assert.equal(logged.length, 1)
  }
})
