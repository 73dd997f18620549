'use strict'

// Which socket the command line believes: on a machine with other users, and in a session.

const test = require('node:test')
const assert = require('node:assert/strict')
const { spawn } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const http = require('node:http')
const path = require('node:path')
const { cli } = require('./cli')

const OTHER = 65534
const user = process.geteuid?.()
const notRoot = user !== 0 && 'only root can act for another user'

/** A short folder, as a socket's path is, in which everybody may make something. */
function makeShared (t) {
  const shared = fs.mkdtempSync('/tmp/ls-')
  fs.chmodSync(shared, 0o1777)
  t.after(() => fs.rmSync(shared, { recursive: true, force: true }))
  return shared
}

/** A process that does not answer for itself. */
async function idle (t) {
  const child = spawn('sleep', ['120'])
  t.after(() => child.kill('SIGKILL'))
  await once(child, 'spawn')
  return child.pid
}

/** Answers for that process. */
async function answer (t, directory, pid, body = bodyOf(pid)) {
  fs.mkdirSync(directory, { recursive: true, mode: 0o700 })
  const server = http.createServer((request, response) => response.setHeader('content-type', 'application/json').end(JSON.stringify(body))).listen(path.join(directory, `${pid}.sock`))
  await once(server, 'listening')
  t.after(() => server.close())
}

const bodyOf = pid => ({ facts: { pid, appName: 'shop', nodeVersion: 'v20', appRoot: '/', startedAt: 0 }, stalls: [], current: null, totals: { count: 0, blockedMs: 0, byCause: [], byRoute: [] }, blockedMs: 0 })

const control = folder => path.join(folder, `loopscope-${user}`, 'control')

test('eleven processes are listed without a warning', async t => {
  const shared = makeShared(t)
  const pids = await Promise.all(Array.from({ length: 11 }, () => idle(t)))
  for (const pid of pids) await answer(t, control(shared), pid)
  const { stdout, stderr } = await cli(['list', '--json'], { env: { TMPDIR: shared } })
  assert.equal(stderr, '')
  assert.deepEqual(JSON.parse(stdout).map(facts => facts.pid).sort(), pids.sort())
})

test('a process that has all files open that it may have cannot accept a connection, and is reported to', { skip: process.platform !== 'linux' && 'only Linux lists them' }, async t => {
  const directory = control(makeShared(t))
  fs.mkdirSync(directory, { recursive: true, mode: 0o700 })
  const script = `
    const fs = require('fs')
    require('http').createServer((request, response) => response.end()).listen(process.argv[1] + '/' + process.pid + '.sock', () => {
      process.stdout.write('listening\\n')
      try { for (;;) fs.openSync(process.execPath) } catch {}
    })`
  const child = spawn('sh', ['-c', 'ulimit -n 100 && exec "$0" -e "$1" "$2"', process.execPath, script, directory], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.after(() => child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  while (fs.readdirSync(`/proc/${child.pid}/fd`).length < 100) await new Promise(resolve => setTimeout(resolve, 20))
  const env = { TMPDIR: path.dirname(path.dirname(directory)) }
  const { code, stderr } = await cli(['memory', String(child.pid)], { env })
  assert.equal(code, 7)
  assert.match(stderr, new RegExp(`Process ${child.pid} has all 100 files and sockets open that it may have \\(\\d+ files, .+\\), so it cannot accept this connection either\\.\nls -l /proc/${child.pid}/fd`))
  assert.match((await cli(['list'], { env })).stderr, new RegExp(`process ${child.pid} does not answer: it has all the files open`))
})

test('a process that answers something else is left out, and the others are listed', async t => {
  const shared = makeShared(t)
  const good = await idle(t)
  await answer(t, control(shared), good)
  for (const body of [null, 5, [], { facts: null }, { facts: { pid: 'x' } }, { facts: [] }]) await answer(t, control(shared), await idle(t), body)
  const { code, stdout, stderr } = await cli(['list'], { env: { TMPDIR: shared } })
  assert.deepEqual([code, stdout.split('\n').length, stderr.match(/is skipped: its answer has another form/g).length], [0, 3, 6], stdout + stderr)
  assert.match(stdout, new RegExp(`\n${good} `))
  const alone = await cli([], { env: { TMPDIR: shared } })
  assert.equal(alone.code, 0, alone.stderr)
})

test('a process is found in the session\'s runtime folder and in the temporary folder', async t => {
  const [shared, runtime] = [makeShared(t), makeShared(t)]
  const [inSession, outside] = [await idle(t), await idle(t)]
  await answer(t, path.join(runtime, 'loopscope', 'control'), inSession)
  await answer(t, control(shared), outside)
  const env = { TMPDIR: shared, XDG_RUNTIME_DIR: runtime }
  for (const pid of [inSession, outside]) assert.match((await cli(['stalls', String(pid)], { env })).stderr + (await cli(['stalls', '--json', String(pid)], { env })).stdout, /"stalls"/)
  const listed = JSON.parse((await cli(['list', '--json'], { env })).stdout).map(facts => facts.pid)
  assert.deepEqual(listed.sort(), [inSession, outside].sort())
})

const TRAPS = {
  'the directory above': folder => fs.chownSync(path.dirname(control(folder)), OTHER, OTHER),
  'the directory': folder => fs.chownSync(control(folder), OTHER, OTHER),
  'the socket': (folder, pid) => fs.chownSync(path.join(control(folder), `${pid}.sock`), OTHER, OTHER)
}

for (const [what, lay] of Object.entries(TRAPS)) {
  test(`a process is not asked where another user owns ${what}`, { skip: notRoot }, async t => {
    const shared = makeShared(t)
    const pid = await idle(t)
    await answer(t, control(shared), pid)
    lay(shared, pid)
    const { code, stdout, stderr } = await cli(['stalls', '--json', String(pid)], { env: { TMPDIR: shared } })
    assert.deepEqual([code, stdout], [5, ''])
    assert.match(stderr, /cannot be trusted: .* is owned by uid 65534/)
    const listed = await cli(['list', '--json'], { env: { TMPDIR: shared } })
    assert.deepEqual(JSON.parse(listed.stdout), [])
  })
}

test('a symbolic link in the place of the directory is not followed, and the right socket is found behind it', { skip: notRoot }, async t => {
  const [shared, runtime] = [makeShared(t), makeShared(t)]
  const pid = await idle(t)
  await answer(t, path.join(shared, 'else', 'control'), pid)
  fs.symlinkSync(path.join(shared, 'else'), path.dirname(control(shared)))
  const { code, stderr } = await cli(['stalls', '--json', String(pid)], { env: { TMPDIR: shared } })
  assert.deepEqual([code, /is a symbolic link/.test(stderr)], [5, true])
  await answer(t, path.join(runtime, 'loopscope', 'control'), pid)
  assert.match((await cli(['stalls', '--json', String(pid)], { env: { TMPDIR: shared, XDG_RUNTIME_DIR: runtime } })).stdout, /"stalls"/)
})
