'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { Applications } = require('../../lib/probe/applications')

function createSubject () {
  const subject = { asked: [], sent: [], logged: [] }
  subject.applications = new Applications({
    ask: async (...question) => {
      subject.asked.push(question)
      return { url: null, problem: null }
    },
    read: async (...question) => question,
    tell: (...message) => subject.sent.push(message)
  }, { info: (...line) => subject.logged.push(line), warn () {} })
  return subject
}

test('an application is opened, addressed by its own number, and closed once', async () => {
  const { applications, asked, sent } = createSubject()
  const shop = applications.open({ appName: 'shop', listen: null }, { metrics: async () => 'of the shop', authorize: async (request, scope) => scope === request, logger: {} })
  const blog = applications.open({ appName: 'blog', listen: null }, { metrics: async () => 'of the blog', authorize: async () => false, logger: {} })
  assert.deepEqual(await shop.opened, { url: null, problem: null })
  assert.deepEqual(asked, [['openApplication', { application: { appName: 'shop', listen: null, id: 1 } }], ['openApplication', { application: { appName: 'blog', listen: null, id: 2 } }]])
  assert.equal(await applications.readers.metrics({ application: blog.id }), 'of the blog')
  assert.deepEqual(await blog.findings(), ['findings', { application: 2 }])
  assert.equal(await applications.handlers.authorize({ application: shop.id, request: 'dump', scope: 'dump' }), true)
  const metrics = { metrics: [] } // its last
  shop.close(metrics)
  shop.close(metrics)
  assert.deepEqual(sent, [['closeApplication', { application: 1, metrics }]])
  assert.throws(() => applications.readers.metrics({ application: shop.id }), /application 1 is closed/)
})

test('a line for the log reaches the application\'s logger, and that of no application the process\'s own', () => {
  const { applications, logged } = createSubject()
  const lines = []
  const { id } = applications.open({ listen: null }, { logger: { info: (...line) => lines.push(line), warn () {} } })
  applications.handlers.log({ application: id, level: 'info', fields: { kind: 'cpu' }, message: 'captured' })
  applications.handlers.log({ application: 99, level: 'info', fields: {}, message: 'of nobody' })
  assert.deepEqual([lines, logged], [[[{ kind: 'cpu' }, 'captured']], []])
  applications.handlers.log({ application: null, level: 'info', fields: {}, message: 'of the process' })
  assert.deepEqual([lines.length, logged], [1, [[{}, 'of the process']]])
})
