'use strict'

// Who is in a group, told by the files beside the control sockets, and what they answer all at once.

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const http = require('node:http')
const net = require('node:net')
const { once } = require('node:events')
const path = require('node:path')
const { askGroup } = require('../../lib/shared/group/ask-group')
const { listMembers, sweep } = require('../../lib/shared/group/members')
const { writeFacts } = require('../../lib/shared/group/member-facts')
const { ownNamespace, processStart } = require('../../lib/base/system/process-ids')
const { cli } = require('../cli/cli')
const { block, runGroup, until } = require('./grouped')
const { listen } = require('../http/listening')
const { makeShortScratch } = require('../store/scratch')

const ME = { pid: process.pid, start: processStart(process.pid), namespace: ownNamespace() }
const OF_ANOTHER = { ...ME, namespace: '4026530001' }
const noProc = process.platform !== 'linux' && 'no /proc'

/** A trusted directory of control sockets. */
function makeDirectory (t) {
  const folder = makeShortScratch(t)
  const directory = path.join(folder, 'loopscope-0', 'control')
  fs.mkdirSync(directory, { recursive: true, mode: 0o700 })
  return directory
}

function factsOf (more) {
  return { ...ME, startedAt: 1, appName: 'shop', group: 'shop', version: '1.0.0', instance: null, socket: `${ME.pid}.sock`, ...more }
}

/** Something that listens, and answers as it is told. */
async function serve (t, file, answer) {
  await listen(t, http.createServer(answer), file)
}

/** What a process leaves that is killed: a file on which nobody listens. */
async function leave (directory, facts) {
  const server = net.createServer().listen(path.join(directory, `${facts.socket}.x`))
  await once(server, 'listening')
  fs.linkSync(path.join(directory, `${facts.socket}.x`), path.join(directory, facts.socket))
  server.close()
  await once(server, 'close')
  writeFacts(directory, facts)
}

test('blocked and stopped processes are members, one that was killed is none; all that can answer within the time limit', { timeout: 60_000 }, async t => {
  const { apps, controlDir, join } = await runGroup(t, 3)
  const [turning, blocked, stopped] = apps
  block(blocked)
  stopped.child.kill('SIGSTOP')
  const killed = await join()
  await until(async () => (await listMembers({ directories: [controlDir], group: 'shop' })).length === 4)
  killed.child.kill('SIGKILL')
  await killed.ended
  const members = await listMembers({ directories: [controlDir], group: 'shop' })
  assert.deepEqual(members.map(({ pid }) => pid).sort(), apps.map(({ pid }) => pid).sort())
  assert.equal(new Set(members.map(({ id }) => id)).size, 3)
  const startedMs = performance.now()
  const answers = await askGroup(members, '/stalls', { withinMs: 2500 })
  assert.ok(performance.now() - startedMs < 5000)
  assert.deepEqual(answers.filter(({ up }) => up).map(({ member }) => member.pid).sort(), [turning.pid, blocked.pid].sort())
  const [silent] = answers.filter(({ up }) => !up)
  assert.deepEqual([silent.member.pid, silent.problem, silent.status], [stopped.pid, 'no answer in 2.5 s', 0])

  const next = await join() // what the killed one left is swept
  await until(() => fs.existsSync(path.join(controlDir, `${next.pid}.json`)))
  assert.deepEqual(fs.readdirSync(controlDir).filter(name => name.startsWith(`${killed.pid}.`)), [])
  stopped.child.kill('SIGCONT')
})

test('the facts go with the process that ends', async t => {
  const { apps: [app], controlDir } = await runGroup(t, 1)
  assert.equal(fs.statSync(path.join(controlDir, `${app.pid}.json`)).mode & 0o777, 0o600)
  app.child.kill('SIGTERM')
  await app.ended
  assert.deepEqual(fs.readdirSync(controlDir), [])
})

test('a process whose socket name is taken by one of another container has a name of its own, and is found by both', { skip: noProc }, async t => {
  const { apps: [app], controlDir, folder, join } = await runGroup(t, 1)
  const members = () => listMembers({ directories: [controlDir], group: 'shop' })
  const [{ id }] = await members()
  // As if the first one were of another container: its facts say so, and the next observer of this process finds its name taken.
  const taken = path.join(controlDir, `${app.pid}.json`)
  writeFacts(controlDir, { ...JSON.parse(fs.readFileSync(taken, 'utf8')), namespace: '4026530001' })
  assert.equal((await members())[0].id, id.replace(/\d+$/, '4026530001'), 'not known to /proc as such, and there because it answers')
  await sweep(controlDir, OF_ANOTHER)
  assert.equal((await members()).length, 1)
  const { ControlSocket } = require('../../lib/observer/admin/control-socket')
  const { socket, ...facts } = factsOf({ pid: app.pid, start: processStart(app.pid) })
  const second = new ControlSocket({ directory: controlDir, facts, handle: async () => ({ status: 200, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ stalls: [], current: null, totals: { count: 0, blockedMs: 0, byCause: [], byRoute: [] }, blockedMs: 0, second: true }) }) })
  await second.start()
  t.after(() => second.stop())
  assert.equal(path.basename(second.path), `${app.pid}-${ME.namespace}.sock`)
  assert.equal((await members()).length, 2)
  const { stdout } = await cli(['stalls', '--json', String(app.pid)], { env: { TMPDIR: folder, XDG_RUNTIME_DIR: '' } })
  assert.equal(JSON.parse(stdout).second, true, 'the process of this container, not the one that has its usual name')
  await join()
  await until(async () => (await members()).length === 3)
  await second.stop()
  assert.equal((await members()).length, 2)
})

test('what a dead process of another container left is swept, and what a living one has is not', async t => {
  const directory = makeDirectory(t)
  await leave(directory, factsOf({ ...OF_ANOTHER, socket: '1-4026530001.sock', pid: 1 }))
  await serve(t, path.join(directory, '1.sock'), (request, response) => response.end('{}'))
  writeFacts(directory, factsOf({ namespace: '4026530002', pid: 1, start: '1', socket: '1.sock' }))
  assert.deepEqual((await listMembers({ directories: [directory] })).map(({ id }) => id), ['1-1-4026530002'])
  await sweep(directory, ME)
  assert.deepEqual(fs.readdirSync(directory).filter(name => !name.endsWith('.x')).sort(), ['1.json', '1.sock'])
})

test('facts that somebody else could have written are not believed', async t => {
  const directory = makeDirectory(t)
  await serve(t, path.join(directory, `${ME.pid}.sock`), (request, response) => response.end('{}'))
  const isFound = async () => (await listMembers({ directories: [directory] })).length === 1
  const file = path.join(directory, `${ME.pid}.json`)
  writeFacts(directory, factsOf())
  assert.ok(await isFound())
  fs.chmodSync(file, 0o666)
  assert.ok(!await isFound(), 'writable by others')
  for (const facts of ['{', '{}', JSON.stringify(factsOf({ socket: '../1.sock' })), JSON.stringify(factsOf({ socket: '2.sock' })), ' '.repeat(9000)]) {
    fs.rmSync(file)
    fs.writeFileSync(file, facts, { mode: 0o600 })
    assert.ok(!await isFound(), facts.slice(0, 20))
  }
  fs.rmSync(file)
  fs.symlinkSync(path.join(directory, 'else'), file)
  fs.writeFileSync(path.join(directory, 'else'), JSON.stringify(factsOf()), { mode: 0o600 })
  assert.ok(!await isFound(), 'a symbolic link')
  fs.rmSync(file)
  writeFacts(directory, factsOf())
  fs.chmodSync(directory, 0o777)
  assert.ok(!await isFound(), 'a directory of everybody')
})

test('an answer that is too large, refused or cut off is a problem of that process only', async t => {
  const directory = makeDirectory(t)
  const answers = {
    good: (request, response) => response.setHeader('X-Loopscope-Stale-Since', '2026-11-22T00:00:00.000Z').end('{}'),
    large: (request, response) => response.end('x'.repeat(2000)),
    refused: (request, response) => response.writeHead(503).end('{"detail":"not now"}'),
    cut: (request, response) => { response.writeHead(200, { 'Content-Length': '10' }).write('x'); setTimeout(() => response.destroy(), 20) }
  }
  const members = []
  for (const [id, answer] of Object.entries(answers)) {
    const socketPath = path.join(directory, `${id}.s`)
    await serve(t, socketPath, answer)
    members.push({ id, pid: 1, startedAt: 0, appName: 'shop', group: 'shop', instance: null, socketPath })
  }
  members.push({ ...members[0], id: 'gone', socketPath: path.join(directory, 'gone.s') })
  const told = await askGroup(members, '/x', { maxBytes: 1000 })
  assert.deepEqual(told.map(({ member, up, problem }) => [member.id, up, problem]), [
    ['good', true, null],
    ['large', true, 'its answer is too large'],
    ['refused', true, 'it answered 503: not now'],
    ['cut', false, told[3].problem],
    ['gone', false, 'it has ended']
  ])
  assert.equal(told[0].staleSince, Date.UTC(2026, 10, 22))
})
