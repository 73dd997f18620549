'use strict'

// The requests under way of a real process, also while its loop is blocked.

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const net = require('node:net')
const path = require('node:path')
const { setTimeout: sleep } = require('node:timers/promises')
const { get, getControl, run } = require('../admin/running')
const { cli } = require('../cli/cli')

/** A request over a connection of its own. */
function send (t, port, target) {
  const socket = net.connect(port, '127.0.0.1')
  t.after(() => socket.destroy())
  socket.on('error', () => {}).resume()
  socket.write(`GET ${target} HTTP/1.1\r\nhost: a\r\n\r\n`)
  return socket
}

async function untilBlocked (ask) {
  for (;;) {
    const answer = await ask()
    if (answer.blockedMs > 100 && answer.running?.route === 'GET /spin') return answer
    await sleep(20)
  }
}

test('while the loop is blocked the answer shows what runs, at which line, which requests wait for the loop, and whose client is gone', async t => {
  const app = await run(t)
  const url = await app.listenerUrl()
  const doors = {
    listener: async () => (await get(`${url}/requests`)).json(),
    control: async () => JSON.parse((await getControl(app.socketPath, '/requests')).text)
  }
  const untilListed = async count => { while ((await doors.listener()).total < count) await sleep(20) }
  const leaving = send(t, app.port, '/wait')
  await untilListed(1) // otherwise the other one may come first
  send(t, app.port, '/wait')
  await untilListed(2)
  const before = await doors.control()
  assert.deepEqual([before.isStale, before.running, before.requests.map(({ route, state, clientGone }) => [route, state, clientGone])], [false, null, [
    ['GET /wait', 'waiting', false],
    ['GET /wait', 'waiting', false]
  ]])

  const stop = path.join(app.folder, 'stop')
  let isBlocked = true
  const spinning = get(`${app.url}/spin?until=${stop}`).then(response => { isBlocked = false; return response.text() })
  await untilBlocked(doors.listener)
  leaving.destroy()
  for (const [door, ask] of Object.entries(doors)) {
    let answer = await ask()
    while (process.platform === 'linux' && !answer.requests[0].clientGone) answer = await ask()
    const { isStale, total, running: { culprit }, requests } = answer
    assert.deepEqual([isStale, total, culprit.function, path.basename(culprit.file), culprit.line > 0], [false, 3, 'spin', 'app.js', true], door)
    assert.deepEqual(requests.map(({ route, state, clientGone }) => [route, state, clientGone]), [
      ['GET /wait', 'loop', true],
      ['GET /wait', 'loop', false],
      ['GET /spin', 'running', false]
    ], door)
    assert.ok(requests[0].ageMs >= requests[1].ageMs && requests[1].ageMs >= requests[2].ageMs)
  }
  const { stdout } = await cli(['requests', '--socket', app.socketPath, '--wide'])
  assert.match(stdout, /^3 requests under way; the event loop has been blocked for \d+ ms by GET \/spin: .*spin \(.*app\.js:\d+\)\n/)
  assert.match(stdout, /^GET \/spin +\d+ ms +- +running .*spin \(.*app\.js:\d+\)$/m)
  assert.ok(isBlocked, 'all of it was answered while the loop was blocked')
  fs.writeFileSync(stop, '')
  assert.equal(await spinning, 'spun')
})

test('in a native call nothing can be interrupted: the last reading answers, with its age', async t => {
  const app = await run(t)
  const url = await app.listenerUrl()
  const ask = async () => (await get(`${url}/requests`)).json()
  send(t, app.port, '/wait')
  while ((await ask()).total < 1) await sleep(20)
  send(t, app.port, '/native?seconds=2')
  let answer
  do answer = await ask(); while (!answer.isStale)
  assert.deepEqual([answer.requests[0].route, answer.requests[0].state], ['GET /wait', 'waiting'])
  assert.ok(answer.ageMs > 0 && answer.blockedMs > 0, JSON.stringify(answer))
  while ((await ask()).isStale) await sleep(50)
})

test('without the recorder there is no session: the process is asked, and the last reading answers while it is blocked', async t => {
  const app = await run(t, { env: { LOOPSCOPE_RECORDER: 'false' } })
  const url = await app.listenerUrl()
  const ask = async () => (await get(`${url}/requests`)).json()
  send(t, app.port, '/wait')
  while ((await ask()).total < 1) await sleep(20)
  const stop = path.join(app.folder, 'stop')
  const spinning = get(`${app.url}/spin?until=${stop}`).then(response => response.text())
  while (!(await ask()).isStale) await sleep(20)
  assert.deepEqual((await ask()).requests.map(({ route }) => route), ['GET /wait'])
  fs.writeFileSync(stop, '')
  await spinning
})
