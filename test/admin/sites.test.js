'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { createSites } = require('../../lib/main/admin/sites')
const { createAdminTally } = require('../../lib/main/admin/tally')

function createSubject () {
  const subject = { asked: [], sent: [] }
  subject.sites = createSites({
    ask: async question => {
      subject.asked.push(question)
      return { url: null, problem: null }
    },
    send: message => subject.sent.push(message)
  })
  return subject
}

test('an application is opened under its own number, asked by it, and closed once', async () => {
  const { sites, asked, sent } = createSubject()
  const shop = sites.open({ appName: 'shop' }, { metrics: async () => 'of the shop', authorize: async (request, scope) => scope === request, logger: {} })
  const blog = sites.open({ appName: 'blog' }, { metrics: async () => 'of the blog', authorize: async () => false, logger: {} })
  assert.deepEqual(await shop.opened, { url: null, problem: null })
  assert.deepEqual(asked, [{ type: 'openSite', site: { appName: 'shop', id: 1 } }, { type: 'openSite', site: { appName: 'blog', id: 2 } }])
  assert.equal(await sites.answer('metrics', { site: blog.id }), 'of the blog')
  assert.equal(await sites.answer('authorize', { site: shop.id, request: 'dump', scope: 'dump' }), true)
  shop.close()
  shop.close()
  assert.deepEqual(sent, [{ type: 'closeSite', site: 1 }])
  assert.throws(() => sites.answer('metrics', { site: shop.id }), /site 1 is closed/)
})

test('a line for the log reaches the application\'s logger', () => {
  const { sites } = createSubject()
  const lines = []
  const { id } = sites.open({}, { logger: { info: (...line) => lines.push(line), warn () {} } })
  sites.log({ site: id, level: 'info', fields: { kind: 'cpu' }, message: 'captured' })
  sites.log({ site: 99, level: 'info', fields: {}, message: 'of nobody' })
  assert.deepEqual(lines, [[{ kind: 'cpu' }, 'captured']])
})

test('requests are counted by endpoint and status, refusals by reason', () => {
  const tally = createAdminTally()
  for (const code of [200, 200, 404]) tally.count({ name: 'request', endpoint: 'stalls', code })
  tally.count({ name: 'authFailure', reason: 'bad' })
  const { requests, refusals } = tally.read()
  assert.deepEqual(requests, [{ endpoint: 'stalls', code: 200, count: 2 }, { endpoint: 'stalls', code: 404, count: 1 }])
  assert.deepEqual(refusals.find(({ reason }) => reason === 'bad'), { reason: 'bad', count: 1 })
  assert.deepEqual(refusals.length, 5)
})
