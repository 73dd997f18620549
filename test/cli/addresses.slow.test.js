'use strict'

// An address that is wrong is told in one sentence, with what to do next, and an exit code of its own.

const test = require('node:test')
const assert = require('node:assert/strict')
const { spawn } = require('node:child_process')
const { once } = require('node:events')
const http = require('node:http')
const net = require('node:net')
const { run } = require('../admin/running')
const { cli } = require('./cli')
const { listen } = require('../http/listening')

/** A server of somebody else's. */
async function foreign (t, server) {
  return `127.0.0.1:${await listen(t, server)}`
}

const says = (status, headers, body = '') => http.createServer((_, response) => response.writeHead(status, headers).end(body))

async function assertSaid (args, code, sentence, env) {
  const said = await cli(args, { env })
  assert.equal(said.stdout, '', args.join(' '))
  assert.match(said.stderr, sentence, args.join(' '))
  assert.match(said.stderr, /^loopscope: .*\n.+\n$/, 'one sentence, and what to do')
  assert.equal(said.code, code, said.stderr)
}

for (const [name, server, sentence, scheme = 'http'] of [
  ['a page instead of data', () => says(200, { 'content-type': 'text/html' }, '<html>'), /answers, but it is not loopscope: status 200, text\/html/],
  ['a page that is not there', () => says(404, { 'content-type': 'text/html' }, '<html>\n<body>Cannot GET'), /not loopscope: status 404, text\/html\.\nPass the address of admin\.listen/],
  ['another login', () => says(401, { 'content-type': 'text/plain' }, 'who?'), /not loopscope: status 401, text\/plain/],
  ['nothing at all', () => says(200, {}), /not loopscope: status 200, no content type/],
  ['somewhere else', () => says(301, { location: 'https://example.com/' }), /redirects to https:\/\/example\.com\//],
  ['something that is not HTTP', () => net.createServer(socket => socket.on('error', () => {}).end('SSH-2.0-OpenSSH_9.6\r\n')), /does not speak HTTP/],
  ['a closed door', () => net.createServer(socket => socket.destroy()), /closed the connection without an answer/],
  ['HTTP where TLS was wanted', () => says(200, {}), /does not speak TLS\.\nDoes it need http\?/, 'https']
]) {
  test(`${name} is not an answer`, async t => {
    const address = `${scheme}://${await foreign(t, server())}`
    for (const command of ['stalls', 'why', 'metrics', 'profile', 'top']) await assertSaid([command, address], codeOf(sentence), sentence)
  })
}

/** What answers as HTTP has failed; the rest could not be reached. */
function codeOf (sentence) {
  return /not loopscope|redirects/.test(sentence.source) ? 1 : 7
}

test('no listener, no host, no process, and a process without loopscope are distinguished', async () => {
  await assertSaid(['stalls', 'http://127.0.0.1:9'], 7, /^loopscope: Nothing listens on http:\/\/127\.0\.0\.1:9\.\nIs the address right/)
  await assertSaid(['stalls', 'http://no-such-host.invalid:6060'], 7, /There is no (host|route to) no-such-host\.invalid\.|No answer/)
  await assertSaid(['stalls', '2147483646'], 3, /There is no process 2147483646 on this host\.\n`loopscope list` shows/)
  await assertSaid(['stalls', '99999999999'], 3, /There is no process 99999999999 on this host/)
  await assertSaid(['stalls', '0'], 3, /There is no process 0 on this host/)
  await assertSaid(['stalls', String(process.pid)], 4, /runs without loopscope/)
  await assertSaid(['stalls', 'http://:6060'], 2, /neither a pid nor a URL/)
  await assertSaid(['stalls', '--socket', '/nowhere/x.sock'], 7, /There is no socket \/nowhere\/x\.sock/)
})

test('a process of another user is named as such', { skip: process.geteuid() !== 0 && 'only root can be somebody else' }, async t => {
  const child = spawn('sleep', ['60'])
  t.after(() => child.kill('SIGKILL'))
  await once(child, 'spawn')
  const asNobody = spawn('setpriv', ['--reuid', '65534', '--clear-groups', process.execPath, require('./cli').BIN, 'stalls', String(child.pid)], { stdio: ['ignore', 'ignore', 'pipe'] })
  let stderr = ''
  asNobody.stderr.setEncoding('utf8').on('data', text => { stderr += text })
  const [code] = await once(asNobody, 'close').catch(() => [null])
  if (code === 1 || code === 127 || code === 126) return t.skip(`nobody may not read this checkout: ${stderr.slice(0, 100)}`)
  assert.deepEqual([code, /belongs to another user/.test(stderr)], [5, true], stderr)
})

test('a process that is stopped does not keep the others\' answers', async t => {
  const app = await run(t)
  const stopped = await run(t, { env: { TMPDIR: app.folder } })
  for (const { listenerUrl } of [app, stopped]) await listenerUrl()
  const env = { TMPDIR: app.folder }
  while (JSON.parse((await cli(['list', '--json'], { env })).stdout).length < 2);
  stopped.child.kill('SIGSTOP')
  const { code, stdout, stderr } = await cli(['list'], { env })
  const alone = await cli(['why', `${stopped.pid}`], { env })
  stopped.child.kill('SIGCONT')
  assert.equal(code, 0, stderr)
  assert.match(stdout, new RegExp(`^ *${app.pid} `, 'm'))
  assert.match(stderr, new RegExp(`process ${stopped.pid} does not answer: it is stopped`))
  assert.equal(alone.code, 7)
  assert.match(alone.stderr, new RegExp(`Process ${stopped.pid} is stopped, so it does not answer\\.\n.*kill -CONT ${stopped.pid}`))
})
