'use strict'

// Requests that the application makes, by node:http and by fetch(): what is counted is what the server saw, and how long it took.

const test = require('node:test')
const assert = require('node:assert/strict')
const http = require('node:http')
const http2 = require('node:http2')
const { once } = require('node:events')
const { listen } = require('../http/listening')
const { serve } = require('./serving')
const { assertOneAtATime, startUpstream } = require('./upstream')

const byHttp = (url, options = {}) => new Promise((resolve, reject) => {
  http.request(url, options, response => response.resume().on('end', resolve)).on('error', reject).end()
})
test.before(() => fetch('data:,what it is made of is loaded'))

const byFetch = async url => { await (await fetch(url)).text() }

for (const [name, request] of [['node:http', byHttp], ['fetch', byFetch]]) {
  test(`${name}: each request until its last byte, and what failed`, async t => {
    const { seen, url, target } = await startUpstream(t)
    const { ask, waits, counted } = await serve(t, async () => {
      await request(url('/80'))
      await request(url('/80/late'))
      for (const path of ['/bad', '/busy', '/none']) await request(url(path))
      await request(url('/gone')).catch(() => {})
    })
    await ask()
    const { [`http GET ${target}`]: wait } = await waits()
    assert.deepEqual([wait.calls, wait.errors], [seen.requests, 3])
    const { [`http GET ${target}`]: call } = await counted()
    assert.deepEqual([call.calls, call.errors], [seen.requests, 3])
    assert.ok(call.ms >= seen.ms * 0.9, `${call.ms}, the server took ${seen.ms}`)
  })

  test(`${name}: requests at the same time are several calls, and one wait`, async t => {
    const { seen, url, target } = await startUpstream(t)
    const { ask, waits, counted } = await serve(t, () => Promise.all([1, 2, 3, 4].map(() => request(url('/200')))))
    await ask()
    const [{ [`http GET ${target}`]: wait }, { [`http GET ${target}`]: call }] = [await waits(), await counted()]
    assert.deepEqual([wait.calls, call.calls, seen.requests], [4, 4, 4])
    assert.ok(call.ms >= 790 && wait.ms < call.ms, `${call.ms}, ${wait.ms}`)
  })

  test(`${name}: a host that does not answer the connection`, async t => {
    const { port, close } = await startUpstream(t)
    await close()
    const { ask, waits } = await serve(t, () => request(`http://127.0.0.1:${port}/`))
    await ask()
    const { [`http GET 127.0.0.1:${port}`]: { calls, errors } } = await waits()
    assert.deepEqual([calls, errors], [1, 1])
  })
}

test('connections are counted as they are opened, and not where one is kept alive', async t => {
  const { seen, url, target } = await startUpstream(t)
  const agent = new http.Agent({ keepAlive: true })
  t.after(() => agent.destroy())
  const { ask, counted } = await serve(t, async () => {
    for (let request = 0; request < 3; request++) await byHttp(url('/0'), { agent })
    for (let request = 0; request < 2; request++) await byHttp(url('/0'), { agent: false })
  })
  await ask()
  const { [`http GET ${target}`]: requests, [`net connect ${target}`]: connects } = await counted()
  assert.deepEqual([requests.calls, connects.calls], [5, 3])
  assert.deepEqual([seen.requests, seen.connections], [5, 3])
})

const MAJOR = Number(process.versions.node.split('.', 1)[0])

test('an agent with too few sockets: the wait for one is not part of the call', { skip: MAJOR < 22 && 'it reports a request when it is written' }, async t => {
  const upstream = await startUpstream(t)
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
  t.after(() => agent.destroy())
  const served = await serve(t, () => Promise.all([1, 2, 3].map(() => byHttp(upstream.url('/100'), { agent }))))
  await assertOneAtATime(served, upstream)
})

test('an agent with sockets enough, and one request that gives up in the line for one', { skip: MAJOR < 22 && 'it reports a request when it is written' }, async t => {
  const { url, target } = await startUpstream(t)
  const agents = [4, 1].map(maxSockets => new http.Agent({ keepAlive: true, maxSockets }))
  t.after(() => agents.forEach(agent => agent.destroy()))
  const [wide, narrow] = agents
  const { ask, counted } = await serve(t, async () => {
    await Promise.all([1, 2, 3, 4].map(() => byHttp(url('/20'), { agent: wide })))
    await Promise.all([byHttp(url('/200'), { agent: narrow }), byHttp(url('/0'), { agent: narrow, signal: AbortSignal.timeout(50) }).catch(() => {})])
  })
  await ask()
  const { [`http GET ${target}`]: call, [`http pool ${target}`]: pool } = await counted()
  assert.deepEqual([call.calls, pool.calls], [5, 1])
})

test('a request that is not answered when the client is has waited until then', async t => {
  const { url, target } = await startUpstream(t)
  const { ask, waits, counted } = await serve(t, () => { byHttp(url('/600')).catch(() => {}) })
  await ask()
  const { [`http GET ${target}`]: wait } = await waits()
  assert.equal(wait.calls, 1)
  let call
  while (call === undefined) call = (await counted())[`http GET ${target}`]
  assert.ok(call.ms >= 500, String(call.ms))
})

test('with the option off nothing is listened to', async t => {
  const { channel } = require('node:diagnostics_channel')
  const { url } = await startUpstream(t)
  const { ask, waits, counted } = await serve(t, () => byHttp(url('/10')), { dependencyCalls: false })
  await ask()
  assert.deepEqual([await waits(), await counted()], [{}, {}])
  assert.equal(channel('http.client.request.start').hasSubscribers, false)
})

test('calls of gRPC: each until its stream ends, by its method; answers like NOT_FOUND are no failures', { skip: MAJOR < 22 && 'streams are not reported' }, async t => {
  const server = http2.createServer()
  const statuses = { Get: '0', Find: '5', Slow: '4' }
  server.on('stream', (stream, headers) => {
    const status = statuses[headers[':path'].split('/')[2]]
    if (status === undefined) return stream.close(http2.constants.NGHTTP2_CANCEL)
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true })
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': status }))
    setTimeout(() => stream.end('an answer'), 80)
  })
  const port = await listen(t, server)
  const client = http2.connect(`http://127.0.0.1:${port}`)
  t.after(() => client.destroy())
  const call = async (path, type = 'application/grpc+proto') => {
    const stream = client.request({ ':method': 'POST', ':path': path, 'content-type': type, te: 'trailers' })
    stream.on('error', () => {}).resume().end()
    await once(stream, 'close')
  }
  const { ask, waits, counted } = await serve(t, async () => {
    for (const path of ['/shop.Prices/Get', '/shop.Prices/Get', '/shop.Prices/Find', '/shop.Prices/Slow', '/shop.Prices/Gone']) await call(path)
    await call('/shop.Prices/Get', 'application/json')
  })
  await ask()
  const target = `127.0.0.1:${port}`
  const found = Object.entries(await waits()).filter(([name]) => name.startsWith('grpc')).map(([name, { calls, errors }]) => [name, calls, errors])
  assert.deepEqual(found.sort(), [[`grpc Find ${target}`, 1, 0], [`grpc Get ${target}`, 2, 0], [`grpc Gone ${target}`, 1, 1], [`grpc Slow ${target}`, 1, 1]])
  const { [`grpc Get ${target}`]: { calls, ms } } = await counted()
  assert.equal(calls, 2)
  assert.ok(ms >= 150, String(ms))
})
