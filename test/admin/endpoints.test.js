'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const http = require('node:http')
const net = require('node:net')
const { once } = require('node:events')
const path = require('node:path')
const { get, getControl, recorded, run, TOKEN } = require('./running')
const { makeShortScratch } = require('../store/scratch')

const JSON_TYPE = { 'content-type': 'application/json' }

for (const [name, env] of [['', {}], [' behind a body parser', { TEST_BODY_PARSER: '1' }]]) {
  test(`the mounted endpoint captures, and gives the file in parts${name}`, async t => {
    const { url } = await run(t, { env })
    await recorded(`${url}/diagnostics`)
    const created = await get(`${url}/diagnostics/captures`, { method: 'POST', headers: { ...JSON_TYPE, prefer: 'wait=30' }, body: '{"kind":"cpu","seconds":1}' }) // of a tenth the sampler can miss all
    const { artifact, _links, detail } = await created.json()
    assert.equal(created.status, 201, detail)
    const whole = Buffer.from(await (await get(url + _links.artifact.href)).arrayBuffer())
    assert.deepEqual([whole.length, JSON.parse(whole).nodes.length > 0], [artifact.bytes, true])
    const part = await get(url + _links.artifact.href, { headers: { range: 'bytes=2-6' } })
    assert.deepEqual([part.status, await part.text()], [206, whole.subarray(2, 7).toString()])
    assert.equal((await get(url + _links.artifact.href, { method: 'DELETE' })).status, 204)
  })
}

test('the application keeps its own paths, and gets all requests that are not for loopscope', async t => {
  const { url } = await run(t)
  assert.equal(await (await get(`${url}/auth`)).text(), 'ok')
  for (const target of ['/diagnosticsx', '/Diagnostics/stalls', '/x/diagnostics']) assert.match(await (await get(url + target)).text(), /Cannot GET/)
  assert.equal((await get(`${url}/diagnostics`, { headers: { accept: 'application/json' } })).status, 200)
})

test('a body that is too large ends the request, not the application', async t => {
  const { url } = await run(t)
  const refused = await get(`${url}/diagnostics/captures`, { method: 'POST', headers: JSON_TYPE, body: JSON.stringify({ label: 'x'.repeat(70_000) }) }).then(({ status }) => status, () => 'closed')
  assert.ok([413, 'closed'].includes(refused))
  assert.equal((await get(`${url}/diagnostics/loop`)).status, 200)
})

test('events are passed on as they come, and end when the client leaves', async t => {
  const { url } = await run(t)
  for (let round = 0; round < 8; round++) { // more than may listen at a time
    const controller = new AbortController()
    const response = await get(`${url}/diagnostics/live`, { signal: controller.signal })
    assert.equal(response.status, 200, `round ${round}`)
    const { value } = await response.body.getReader().read()
    assert.match(Buffer.from(value).toString(), /^event: loop\n/)
    controller.abort()
    while (JSON.parse(await (await get(`${url}/diagnostics/loop`)).text()).delay === null);
    await new Promise(resolve => setTimeout(resolve, 50)) // the other end learns of it by the connection
  }
})

test('outside production one line has the address with a token for this process, and that token works', async t => {
  const { until, said, port } = await run(t, { env: { LOOPSCOPE_TOKEN: '', LOOPSCOPE_ADMIN_LISTEN: '', NODE_ENV: 'test' } })
  const { url } = await until(/^diagnostics at /)
  const [, place, token] = /^(http:\/\/127\.0\.0\.1:\d+\/diagnostics)#token=(.+)$/.exec(url)
  assert.equal(new URL(place).port, String(port))
  assert.equal((await get(`${place}/loop`, { token })).status, 200)
  assert.equal((await get(`${place}/loop`, { token: null })).status, 401)
  assert.equal(said(/token=/).length, 1)
})

test('in production without a token nothing answers but the control socket', async t => {
  const { url, socketPath, said, until, pid } = await run(t, { env: { LOOPSCOPE_TOKEN: '', LOOPSCOPE_ADMIN_LISTEN: '', NODE_ENV: 'production' } })
  for (const target of ['/diagnostics', '/diagnostics/loop', '/diagnostics/metrics']) {
    const response = await get(url + target, { token: null, headers: { accept: 'text/html' } })
    assert.equal(response.status, 404)
    assert.match(await response.text(), /Cannot GET/)
  }
  while (!fs.existsSync(socketPath)) await new Promise(resolve => setTimeout(resolve, 20))
  assert.equal((await getControl(socketPath, '/loop')).status, 200)
  assert.deepEqual(said(/token=/), [])
  const { command, msg } = await until(/^diagnostics: /)
  assert.equal(command, `npx loopscope why ${pid}`)
  assert.match(msg, /`npx loopscope why \d+` on this host, as the same user; set option token for the page and the endpoint/)
  assert.equal(said(/^diagnostics: /).length, 1)
})

test('in production without a token the listener is not opened, and the reason is logged once', async t => {
  const { until, said, url } = await run(t, { env: { LOOPSCOPE_TOKEN: '', NODE_ENV: 'production' } })
  const { code, msg } = await until(/^the admin listener could not start/)
  assert.equal(code, 'LOOPSCOPE_WARN_LISTENER')
  assert.match(msg, /in production .* option token, tokenFile or authorize/)
  assert.equal(await (await get(`${url}/auth`)).text(), 'ok')
  assert.deepEqual([said(/^the admin listener/).length, said(/^diagnostics at /)], [1, []])
})

test('below a router the surface is below its path, which is logged with the first request that shows it', async t => {
  const { until, said, url } = await run(t, { env: { LOOPSCOPE_TOKEN: '', LOOPSCOPE_ADMIN_LISTEN: '', NODE_ENV: 'test', TEST_MOUNT: '/api' } })
  assert.equal((await get(`${url}/diagnostics/loop`)).status, 404)
  assert.deepEqual(said(/^diagnostics at /), [])
  for (const target of ['/api/nothing', '/api?x']) assert.equal((await get(url + target)).status, 404)
  const told = await until(/^diagnostics at /)
  const [, place, token] = /^(.+)#token=(.+)$/.exec(told.url)
  assert.equal(place, `${url}/api/diagnostics`)
  const { _links } = await (await get(place, { token, headers: { accept: 'application/json' } })).json()
  assert.equal((await get(new URL(_links.loop.href, url), { token })).status, 200)
  assert.equal((await get(`${url}/api/x/diagnostics/loop`, { token })).status, 404)
  assert.equal(said(/^diagnostics at /).length, 1)
})

test('the control socket is for this user only, and goes when diagnostics are closed', async t => {
  const { child, controlDir, ended, socketPath } = await run(t)
  while (!fs.existsSync(socketPath)) await new Promise(resolve => setTimeout(resolve, 20))
  while ((fs.statSync(socketPath).mode & 0o777) !== 0o600) await new Promise(resolve => setTimeout(resolve, 20))
  assert.equal(fs.statSync(controlDir).mode & 0o777, 0o700)
  child.kill('SIGTERM')
  assert.equal((await ended).code, 0)
  assert.equal(fs.existsSync(socketPath), false)
})

test('what a killed process left in the control directory is cleared', async t => {
  const { controlDir, folder, child, ended, socketPath } = await run(t)
  while (!fs.existsSync(socketPath)) await new Promise(resolve => setTimeout(resolve, 20))
  child.kill('SIGKILL')
  await ended
  assert.ok(fs.existsSync(socketPath))
  const next = await run(t, { env: { TMPDIR: folder } })
  const own = path.join(controlDir, `${next.pid}.sock`)
  while (!fs.existsSync(own)) await new Promise(resolve => setTimeout(resolve, 20))
  assert.equal(fs.existsSync(socketPath), false)
})

test('the listener can be a Unix socket of this user', async t => {
  const folder = makeShortScratch(t)
  const socketPath = path.join(folder, 'listener.sock')
  const { until } = await run(t, { env: { LOOPSCOPE_ADMIN_LISTEN: socketPath } })
  await until(/^diagnostics at /)
  assert.equal(fs.statSync(socketPath).mode & 0o777, 0o600)
  const request = http.get({ socketPath, path: '/loop', headers: { host: 'localhost', authorization: `Bearer ${TOKEN}` } })
  const [response] = await once(request, 'response')
  assert.equal(response.resume().statusCode, 200)
})

test('an address that is taken costs the listener, and nothing else', async t => {
  const blocker = net.createServer().listen(0, '127.0.0.1')
  await once(blocker, 'listening')
  t.after(() => blocker.close())
  const { until, url } = await run(t, { env: { LOOPSCOPE_ADMIN_LISTEN: String(blocker.address().port) } })
  const { code, msg } = await until(/^the admin listener could not start/)
  assert.equal(code, 'LOOPSCOPE_WARN_LISTENER')
  assert.match(msg, /EADDRINUSE/)
  assert.equal((await get(`${url}/diagnostics/loop`)).status, 200)
})

test('silent connections and malformed requests do not stop the listener', async t => {
  const { listenerUrl } = await run(t)
  const url = await listenerUrl()
  const { port } = new URL(url)
  const sockets = Array.from({ length: 20 }, () => net.connect(port, '127.0.0.1').on('error', () => {}))
  t.after(() => sockets.forEach(socket => socket.destroy()))
  sockets[0].write('\u0016\u0003\u0001 nonsense\r\n\r\n')
  sockets[1].write('GET http://evil.example/loop HTTP/1.1\r\nHost: localhost\r\n\r\n')
  const answered = once(sockets[1], 'data')
  assert.equal((await get(`${url}/loop`)).status, 200)
  assert.match(String((await answered)[0]), /^HTTP\/1\.1 404 /)
})

test('a profile and events are not cut off by unfinished requests to the listener', async t => {
  const { listenerUrl } = await run(t)
  const url = await listenerUrl()
  await recorded(url)
  const live = await get(`${url}/live`)
  const events = live.body.getReader()
  const profile = get(`${url}/cpu?seconds=1`)
  const sockets = Array.from({ length: 200 }, () => net.connect(new URL(url).port, '127.0.0.1').on('error', () => {}))
  t.after(() => sockets.forEach(socket => socket.destroy()))
  for (const socket of sockets) socket.write('GET /loop HTTP/1.1\r\nHost: localhost\r\nX-Half: ')
  await Promise.any(sockets.map(socket => once(socket, 'close'))) // there are too many
  assert.equal((await get(`${url}/loop`)).status, 200)
  assert.equal((await profile).status, 200)
  for (let event = 0; event < 3; event++) assert.match(Buffer.from((await events.read()).value).toString(), /^event: /)
  await events.cancel()
})

test('any number of readers is served from the one sampler', async t => {
  const { listenerUrl } = await run(t)
  const url = await listenerUrl()
  await recorded(url)
  const targets = ['/cpu?seconds=0.3', '/cpu?last=2', '/cpu?seconds=0.2&format=text', '/debug/pprof/profile?seconds=1', '/cpu?last=1&seconds=0.1&format=flamegraph']
  const answers = await Promise.all(targets.map(target => get(url + target)))
  assert.deepEqual(answers.map(({ status }) => status), targets.map(() => 200))
})

test('a preloaded application has a listener and a control socket from the environment alone', async t => {
  const folder = makeShortScratch(t)
  const { start } = require('../process/child')
  const app = start(t, ['--require', require.resolve('../../lib/register'), path.join(__dirname, '..', 'fixtures', 'process', 'preloaded', 'app.cjs')], {
    env: { LOOPSCOPE_ADMIN_LISTEN: '127.0.0.1:0', LOOPSCOPE_TOKEN: TOKEN, TMPDIR: folder }
  })
  const { url } = await app.until(/^diagnostics at /)
  const { facts } = await (await get(url)).json()
  assert.equal(facts.pid, app.child.pid)
  assert.equal((await getControl(path.join(folder, `loopscope-${process.geteuid()}`, 'control', `${app.child.pid}.sock`), '/stalls')).status, 200)
})
