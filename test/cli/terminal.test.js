'use strict'

// What other processes and files say does not speak to the terminal: whatever they put into any field.

const test = require('node:test')
const assert = require('node:assert/strict')
const { once } = require('node:events')
const fs = require('node:fs')
const http = require('node:http')
const path = require('node:path')
const { Writable } = require('node:stream')
const { listFiles, readProject } = require('../internal/project')
const { createTerminal } = require('../../lib/cli/output/terminal')
const { cli } = require('./cli')

// A title, a color, a cleared line, a single-character introducer, delete, a carriage return, turned text.
const EVIL = 'a\u001b]0;title\u0007b\u001b[31mc\r\u001b[Kd\u009b31me\u007ff\u202eg\u2066h\u2028i'
const SPEAKS = /(?![\n\t])[\p{Cc}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/u
const RED = '\u001b[31m'
const FRAME = { function: EVIL, file: EVIL, line: 1, call: EVIL, via: { package: EVIL, function: EVIL } }

/** Every answer of a process, with that in every text; numbers where there are numbers. */
const ANSWERS = {
  '/': { facts: { pid: 1, appName: EVIL, nodeVersion: EVIL, appRoot: EVIL, startedAt: 0 } },
  '/stalls': {
    stalls: [{ at: 0, durationMs: 1, cause: EVIL, route: EVIL, culprit: FRAME }],
    current: { at: 0, durationMs: 1, route: EVIL, culprit: FRAME },
    totals: { count: 1, blockedMs: 1, byCause: [], byRoute: [] },
    blockedMs: 1
  },
  '/sync-calls': {
    sampled: [{ api: EVIL, flagged: true, ms: 1, share: 0.1, callSite: FRAME, routes: [{ route: EVIL, ms: 1 }], advice: { instead: EVIL } }], exact: null, totals: null, pool: null
  },
  '/artifacts': { artifacts: [{ at: 0, kind: EVIL, bytes: 1, name: EVIL }] },
  '/metrics': EVIL,
  '/cpu': EVIL,
  '/live': `event: stuck\ndata: ${JSON.stringify({ durationMs: 1, route: EVIL, culprit: FRAME })}\n\nevent: loop\ndata: ${JSON.stringify({ at: 0, maxDelayMs: 1, blockedMs: 1, utilization: 0.1, memory: null })}\n\n`
}

const TYPES = { '/metrics': 'text/plain', '/live': 'text/event-stream' }

/** @returns {Promise<string>} the path of a control socket that says such things, and refuses the rest with them */
async function evilSocket (t) {
  const folder = fs.mkdtempSync('/tmp/ls-')
  const socket = path.join(folder, 'evil.sock')
  const server = http.createServer(({ url }, response) => {
    const known = ANSWERS[url.split('?')[0]]
    response.statusCode = known === undefined ? 500 : 200
    response.setHeader('content-type', known === undefined ? 'application/problem+json' : TYPES[url.split('?')[0]] ?? (/pprof/.test(url) ? 'application/octet-stream' : /text/.test(url) ? 'text/plain' : 'application/json'))
    response.end(typeof known === 'string' ? known : JSON.stringify(known ?? { detail: EVIL, remedy: EVIL }))
  }).listen(socket)
  await once(server, 'listening')
  t.after(() => {
    server.close()
    fs.rmSync(folder, { recursive: true })
  })
  return socket
}

for (const args of [['stalls'], ['stalls', '--json'], ['sync'], ['sync', '--json'], ['artifacts'], ['artifacts', '--json'], ['metrics'], ['top', '-n', '1'], ['profile', '-f', 'text'], ['heap'], ['artifacts', 'rm', EVIL]]) {
  test(`loopscope ${args.join(' ').replaceAll(EVIL, '<name>')} shows what a process says, and nothing of it speaks`, async t => {
    const { stdout, stderr } = await cli([...args, '--socket', await evilSocket(t)])
    assert.doesNotMatch(stdout, SPEAKS)
    assert.doesNotMatch(stderr, SPEAKS)
    if (args[0] !== 'top') assert.match(stdout + stderr, /a[\uFFFD\\]/, 'it is shown')
  })
}

test('JSON loses nothing', async t => {
  const { stdout } = await cli(['artifacts', '--json', '--socket', await evilSocket(t)])
  assert.deepEqual(JSON.parse(stdout), ANSWERS['/artifacts'].artifacts)
})

test('a file stays as it came, into a pipe and into a file', async t => {
  const socket = await evilSocket(t)
  assert.equal((await cli(['profile', '-f', 'pprof', '--socket', socket])).stdout, EVIL)
  const file = path.join(path.dirname(socket), 'out')
  assert.equal((await cli(['profile', '-f', 'pprof', '-o', file, '--socket', socket])).code, 0)
  assert.equal(fs.readFileSync(file, 'utf8'), EVIL)
})

test('on a terminal the only sequences are loopscope\'s, a file is shown as text, and NO_COLOR is respected', () => {
  const written = []
  const screen = () => Object.assign(new Writable({ decodeStrings: false, write: (chunk, encoding, done) => { written.push(String(chunk)); done() } }), { isTTY: true })
  const useAll = terminal => {
    written.length = 0
    terminal.text(EVIL)
    terminal.text(Buffer.from(EVIL))
    terminal.file(Buffer.from(EVIL))
    terminal.line(EVIL)
    terminal.line([terminal.paint(['red', 'bold'], EVIL), EVIL])
    terminal.json({ [EVIL]: EVIL })
    terminal.note(EVIL)
    terminal.openScreen()
    terminal.drawScreen([EVIL, [terminal.paint('green', EVIL)]])
    terminal.closeScreen()
    const progress = terminal.progress(EVIL)
    progress.note(EVIL)
    progress.end()
    return written.join('')
  }
  const text = useAll(createTerminal({ output: screen(), notes: screen() }))
  assert.ok(text.includes(RED))
  const ours = ['\r\u001b[K', '\u001b[H\u001b[J', '\u001b[?1049h', '\u001b[?25l', '\u001b[?25h', '\u001b[?1049l', RED, '\u001b[32m', '\u001b[1m', '\u001b[22m', '\u001b[39m']
  assert.doesNotMatch(ours.reduce((rest, sequence) => rest.replaceAll(sequence, ''), text), SPEAKS)
  assert.ok(!useAll(createTerminal({ output: screen(), notes: screen(), env: { NO_COLOR: '1' } })).includes(RED))
})

test('no command writes past the terminal', () => {
  const writing = ['lib/cli/output/terminal.js', 'lib/cli/mcp/server.js'] // the latter speaks a protocol, whose texts come from a terminal in memory
  const files = listFiles('lib/cli').filter(file => file.endsWith('.js') && !writing.includes(file))
  assert.ok(files.length > 10)
  for (const file of files) assert.doesNotMatch(readProject(file), /process\.std(out|err)|console\.|\.isTTY/, file)
})

test('a file is not written where the process says, only where the user does', async t => {
  const folder = fs.mkdtempSync('/tmp/ls-')
  t.after(() => fs.rmSync(folder, { recursive: true }))
  const socket = path.join(folder, 'evil.sock')
  const job = { id: '1', artifact: { name: '../outside', bytes: 1 }, startedAt: 0, endedAt: 1, problem: null }
  const server = http.createServer((request, response) => response.setHeader('content-type', 'application/json').end(JSON.stringify(job))).listen(socket)
  await once(server, 'listening')
  t.after(() => server.close())
  fs.mkdirSync(path.join(folder, 'here'))
  const { code, stderr } = await cli(['heap', '--kind', 'histogram', '--socket', socket, '-o', '.'], { cwd: path.join(folder, 'here') })
  assert.equal(code, 0, stderr)
  const [written] = fs.readdirSync(path.join(folder, 'here'))
  assert.match(written, /^heap-histogram-\d{8}t\d{6}\.json$/)
  assert.deepEqual(fs.readdirSync(folder).sort(), ['evil.sock', 'here'])
})
