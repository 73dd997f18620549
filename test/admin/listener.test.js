'use strict'

// The own listener with real sockets, and somebody who tries to shut it.

const test = require('node:test')
const assert = require('node:assert/strict')
const http = require('node:http')
const net = require('node:net')
const { once } = require('node:events')
const { Listener, ConnectionLimits } = require('../../lib/observer/admin/listener')

const MANY = 600 // more than may be connected
const HALF = 'GET /loop HTTP/1.1\r\nHost: localhost\r\nX-Half: '
const HALF_BODY = 'POST /captures HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{'
const RIGHT = 'GET /loop HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer right\r\nConnection: keep-alive\r\n\r\n'
const WRONG = RIGHT.replace('right', 'wrong')

/** A listener whose router lets in who says "right"; what is below /held is answered when the test says so. */
async function createSubject (t, { limits, connections } = {}) {
  const held = []
  const listener = new Listener({
    address: { host: '127.0.0.1', port: 0 },
    basePath: '/diagnostics',
    limits,
    connections: new ConnectionLimits(connections),
    async handle ({ path, headers }, signal, onAuthorized) {
      if (headers.authorization !== 'Bearer right') return { status: 401, headers: {}, body: 'no' }
      onAuthorized()
      if (path === '/held') await new Promise(resolve => held.push(resolve))
      return { status: 200, headers: {}, body: 'yes' }
    }
  })
  const url = await listener.start()
  t.after(() => listener.stop())
  const { port } = new URL(url)
  return { held, port, ask: (how = {}) => ask({ port, ...how }), connect: text => connect(t, port, text) }
}

/** Resolves with the status, or with the code of what went wrong. */
async function ask ({ port, path = '/loop', token = 'right', agent = false }) {
  const request = http.get({ host: '127.0.0.1', port, path, agent, headers: { authorization: `Bearer ${token}` } })
  try {
    const [response] = await once(request, 'response')
    response.resume()
    await once(response, 'end')
    return { status: response.statusCode, connection: response.headers.connection }
  } catch (error) {
    return { status: error.code }
  }
}

/** A client that says so much and then nothing; it does not mind what happens to it. */
async function connect (t, port, text) {
  const socket = net.connect({ port, host: '127.0.0.1', allowHalfOpen: false }).on('error', () => {}).resume()
  t.after(() => socket.destroy())
  await once(socket, 'connect')
  socket.write(text)
  return socket
}

for (const [what, text] of [['half of their headers', HALF], ['half of their body', HALF_BODY], ['nothing', ''], ['a wrong token, and keep the connection', WRONG]]) {
  test(`${MANY} clients that send ${what} keep nobody out`, async t => {
    const { ask, connect } = await createSubject(t)
    for (let client = 0; client < MANY; client++) {
      await connect(text)
      if (client % 20 === 0) assert.equal((await ask()).status, 200, `after ${client}`)
    }
    for (let round = 0; round < 20; round++) assert.equal((await ask()).status, 200)
  })
}

test('many clients at once with the right token are all answered', async t => {
  const { ask } = await createSubject(t)
  const answers = await Promise.all(Array.from({ length: 300 }, () => ask()))
  assert.deepEqual(answers.filter(({ status }) => status !== 200), [])
})

test('an unfinished request is closed even if its place is not needed', async t => {
  const { connect } = await createSubject(t, { limits: { headersMs: 50, requestMs: 50, checkMs: 20 } })
  await Promise.all([HALF, HALF_BODY, ''].map(async text => once(await connect(text), 'close')))
})

test('a refused client does not keep its connection, and an admitted one does', async t => {
  const { ask, connect } = await createSubject(t)
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
  t.after(() => agent.destroy())
  assert.deepEqual(await ask({ token: 'wrong', agent }), { status: 401, connection: 'close' })
  await once(await connect(WRONG), 'close')
  assert.deepEqual(await ask({ agent }), { status: 200, connection: 'keep-alive' })
})

test('a long answer is not cut off: neither by its duration nor by new clients', async t => {
  const { ask, connect, held } = await createSubject(t, { limits: { headersMs: 50, requestMs: 50, checkMs: 20 } })
  const long = ask({ path: '/held' })
  while (held.length === 0) await new Promise(setImmediate)
  await once(await connect(HALF), 'close') // the time for sending is over
  for (let client = 0; client < MANY; client++) await connect(HALF)
  held[0]()
  assert.equal((await long).status, 200)
})

test('when there are too many connections the longest idle of the admitted ones is closed', async t => {
  const { ask, connect, held } = await createSubject(t, { connections: { maxAuthorized: 2, maxUnauthorized: 2 } })
  const long = ask({ path: '/held' })
  while (held.length === 0) await new Promise(setImmediate)
  const idle = await connect(RIGHT)
  await once(idle, 'data')
  const next = await connect(RIGHT)
  await Promise.all([once(idle, 'close'), once(next, 'data')])
  held[0]()
  assert.equal((await long).status, 200)
})
