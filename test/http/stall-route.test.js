'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { StallRoute } = require('../../lib/probe/http/stall-route')
const { FINISHED } = require('../../lib/probe/http/route-template')

const requestOf = path => ({ request: { method: 'GET', baseUrl: '', route: { path } } })

function createSubject () {
  const subject = { current: undefined }
  subject.stallRoute = new StallRoute({ current: () => subject.current })
  return subject
}

test('of the requests that interrupts saw, the route that worked for most of the stall decides, not the first one and not the most frequent one', () => {
  const subject = createSubject()
  const see = (atMicros, context) => {
    subject.current = context
    subject.stallRoute.note(100, atMicros)
  }
  see(110, undefined)
  see(115, requestOf('/first'))
  see(120, requestOf('/first'))
  see(125, requestOf('/first'))
  see(150, requestOf('/stuck'))
  see(170, requestOf('/stuck'))
  const slowest = { context: requestOf('/slow'), fromMicros: 110, toMicros: 190 }
  assert.equal(subject.stallRoute.of({ fromMicros: 100, toMicros: 200 }, [slowest]).subject().route, 'GET /stuck')
  assert.equal(subject.stallRoute.now(), 'GET /stuck')
})

test('without an interrupt the handler that ran longest in that time decides, and no other', () => {
  const { stallRoute } = createSubject()
  const during = { context: requestOf('/slow'), fromMicros: 110, toMicros: 190 }
  const before = { context: requestOf('/before'), fromMicros: 10, toMicros: 90 }
  assert.equal(stallRoute.of({ fromMicros: 100, toMicros: 200 }, [null, before, during]).subject().route, 'GET /slow')
  assert.equal(stallRoute.of({ fromMicros: 100, toMicros: 200 }, [null, before]).subject().route, null)
})

test('a stall in which no request was seen at work belongs to a request only if that ran for most of it', () => {
  const { stallRoute } = createSubject()
  const after = { context: requestOf('/after'), fromMicros: 160, toMicros: 190 }
  const most = { context: requestOf('/most'), fromMicros: 110, toMicros: 190 }
  const routeOf = slowest => {
    stallRoute.note(100, 150)
    return stallRoute.of({ fromMicros: 100, toMicros: 200 }, [slowest]).subject().route
  }
  assert.deepEqual([routeOf(after), routeOf(most), routeOf(null)], [null, 'GET /most', null])
})

test('a request that was handled at the end of a stall did not cause it', () => {
  const subject = createSubject()
  subject.stallRoute.note(100, 120)
  subject.stallRoute.note(100, 180)
  subject.current = requestOf('/waited')
  subject.stallRoute.note(100, 190)
  assert.equal(subject.stallRoute.of({ fromMicros: 100, toMicros: 200 }, []).subject().route, null)
})

test('what was seen in an earlier stall is not used for this one', () => {
  const subject = createSubject()
  subject.current = requestOf('/earlier')
  subject.stallRoute.note(50, 90)
  assert.equal(subject.stallRoute.of({ fromMicros: 100, toMicros: 200 }, []).subject().route, null)
})

test('the route is read when it is needed: a router under way has found it by then', () => {
  const subject = createSubject()
  const context = { request: { method: 'GET', baseUrl: '', route: undefined } }
  subject.current = context
  subject.stallRoute.note(100, 150)
  const stuck = subject.stallRoute.of({ fromMicros: 100, toMicros: 200 }, [])
  assert.equal(stuck.isAnswered(), false)
  context.request.route = { path: '/late' }
  assert.deepEqual(stuck.subject(), { route: 'GET /late', trace: null })
  context.request = { [FINISHED]: true, method: 'GET', baseUrl: '', route: { path: '/late' } }
  assert.equal(stuck.isAnswered(), true)
  assert.equal(subject.stallRoute.of({ fromMicros: 300, toMicros: 400 }, []).isAnswered(), true, 'there is no request to wait for')
})
