'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { get, recorded, run, TOKEN } = require('../admin/running')
const { cli } = require('./cli')
const { KEYS, noTerminal, shell, typeOnce } = require('./shell')

/** The application, and the command line in its temporary folder. */
async function subject (t) {
  const app = await run(t)
  const url = await app.listenerUrl()
  while (!fs.existsSync(app.socketPath)) await new Promise(resolve => setTimeout(resolve, 20))
  return { ...app, url, mounted: app.url, pid: String(app.pid), loopscope: (args, options = {}) => cli(args, { ...options, cwd: app.folder, env: { TMPDIR: app.folder, ...options.env } }) }
}

test('a pid is reached over its control socket: list, stalls, sync, metrics', async t => {
  const { loopscope, pid, mounted, url } = await subject(t)
  await recorded(url)
  await get(`${mounted}/auth`)
  assert.deepEqual(JSON.parse((await loopscope(['list', '--json'])).stdout).map(facts => String(facts.pid)), [pid])
  while (!/GET \/auth/.test((await loopscope(['stalls', pid])).stdout));
  const { stalls } = JSON.parse((await loopscope(['stalls', pid, '--json'])).stdout)
  assert.ok(stalls.some(({ route }) => route === 'GET /auth')) // a busy machine adds stalls of its own
  assert.match((await loopscope(['stalls', pid])).stdout, /pbkdf2Sync called by .*app\.js:\d+/)
  while (!/crypto\.pbkdf2Sync/.test((await loopscope(['sync', pid])).stdout));
  assert.match((await loopscope(['metrics', pid])).stdout, /^loopscope_build_info/m)
})

test('a profile is written privately, as text on request, and read again', async t => {
  const { loopscope, pid, folder, url } = await subject(t)
  await recorded(url)
  const file = path.join(folder, 'x.cpuprofile')
  const { code, stderr } = await loopscope(['profile', pid, '--seconds', '0.2', '-o', file])
  assert.equal(code, 0, stderr)
  assert.match(stderr, /^written: .*x\.cpuprofile \(/)
  assert.equal(fs.statSync(file).mode & 0o777, 0o600)
  assert.equal((await loopscope(['report', file])).code, 0)
  assert.match((await loopscope(['profile', pid, '-f', 'text', '-o', '-'])).stdout, /^CPU profile of admin-fixture/)
})

test('a profile of one route holds what ran for it, and another route is refused with those that are there', async t => {
  const { loopscope, pid, mounted, url, folder } = await subject(t)
  await recorded(url)
  const profile = async (route, ...args) => loopscope(['profile', pid, '--route', route, ...args])
  let report
  do {
    await get(`${mounted}/auth`)
    report = await profile('GET /auth', '-f', 'text', '-o', '-')
  } while (report.code !== 0)
  assert.match(report.stdout, /^Note: only GET \/auth: \d/m)
  assert.match(report.stdout, /GET \/auth +pbkdf2Sync .*, called by .*app\.js:\d+/)
  const unknown = await profile('GET /nothing', '-o', path.join(folder, 'x.cpuprofile'))
  assert.deepEqual([unknown.code, /its routes: (?:.*, )?GET \/auth/.test(unknown.stderr)], [1, true], unknown.stderr)
  assert.equal(fs.existsSync(path.join(folder, 'x.cpuprofile')), false)
})

test('a URL wants a token: none is 6, a file, the variable and the address as logged are taken', async t => {
  const { loopscope, url, folder } = await subject(t)
  assert.equal((await loopscope(['stalls', url])).code, 6)
  const file = path.join(folder, 'token')
  fs.writeFileSync(file, `${TOKEN}\n`)
  for (const [args, env] of [[['--token-file', file], {}], [[], { LOOPSCOPE_TOKEN: TOKEN }], [['--token', TOKEN], {}]]) {
    const { code, stderr } = await loopscope(['stalls', url, ...args], { env })
    assert.equal(code, 0, stderr)
  }
  assert.equal((await loopscope(['stalls', `${url}/#token=${TOKEN}`])).code, 0)
  assert.match((await loopscope(['stalls', url, '--token', TOKEN])).stderr, /other users of this host can see a token/)
})

test('artifacts are listed, fetched and removed', async t => {
  const { loopscope, pid, url, folder } = await subject(t)
  await recorded(url)
  await get(`${url}/captures`, { method: 'POST', headers: { 'content-type': 'application/json', prefer: 'wait=20' }, body: '{"kind":"cpu","seconds":0.1}' })
  const [{ name, bytes }] = JSON.parse((await loopscope(['artifacts', pid, '--json'])).stdout)
  assert.equal((await loopscope(['artifacts', pid, 'get', name, '-o', folder])).code, 0)
  assert.equal(fs.statSync(path.join(folder, name)).size, bytes)
  const all = await loopscope(['artifacts', pid, '--all'])
  assert.match(all.stdout, new RegExp(`^\\S+ \\(.+\\), in .+\\n[^]*${name}`))
  assert.equal((await loopscope(['artifacts', pid, 'get', name, '--all'])).code, 2)
  assert.equal((await loopscope(['artifacts', url, '--all', '--token', TOKEN])).code, 5, 'a token is one application\'s')
  assert.equal((await loopscope(['artifacts', pid, 'rm', name])).code, 0)
  const gone = await loopscope(['artifacts', pid, 'get', name])
  assert.deepEqual([gone.code, /There is no artifact/.test(gone.stderr)], [1, true])
})

test('top prints a line a second with --interval where there is no terminal, and else once', async t => {
  const { loopscope, pid } = await subject(t)
  const { code, stdout } = await loopscope(['top', pid, '--interval', '1', '-n', '2'])
  assert.equal(code, 0)
  assert.equal(stdout.trim().split('\n').length, 2)
  assert.match(stdout, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \d+ admin-fixture delay \S+ ms utilization /)
  assert.match((await loopscope(['top'])).stdout, new RegExp(`^ *PID [^]*^ *${pid} +admin-fixture`, 'm'))
})

test('a process that ends while it is watched is reported in a line', async t => {
  const { loopscope, pid, child } = await subject(t)
  const { code, stderr } = await loopscope(['top', pid, '--interval', '1'], { onOutput: (_, text) => { if (/utilization/.test(text)) child.kill('SIGKILL') } })
  assert.equal(code, 7, stderr)
  assert.match(stderr, /^loopscope: .*\n.*\n$/)
})

test('Ctrl-C ends a command with 130, and the recording with it', { skip: noTerminal }, async t => {
  const { folder, pid } = await subject(t)
  const onOutput = typeOnce(/recording/, KEYS.interrupt)
  const { code, screen } = await shell(`loopscope profile ${pid} --seconds 60 -o x.cpuprofile`, { cwd: folder, env: { TMPDIR: folder }, onOutput })
  assert.deepEqual([code, /Interrupted/.test(screen)], [130, true], screen)
  assert.deepEqual(fs.readdirSync(folder).filter(name => name.includes('cpuprofile')), [])
})

test('a heap snapshot arrives redacted, with its facts beside it', async t => {
  const { loopscope, pid, folder } = await subject(t)
  const file = path.join(folder, 'x.heapsnapshot')
  const { code, stderr } = await loopscope(['heap', pid, '-o', file])
  assert.equal(code, 0, stderr)
  assert.match(stderr, /written: .*x\.heapsnapshot/)
  assert.equal(fs.statSync(file).mode & 0o777, 0o600)
  const text = fs.readFileSync(file, 'utf8')
  assert.ok(JSON.parse(text).snapshot.node_count > 1000 && !text.includes(TOKEN))
  const facts = JSON.parse(fs.readFileSync(`${file}.json`, 'utf8'))
  assert.deepEqual([String(facts.pid), facts.redaction.mode, facts.canaryIds.length], [pid, 'values', 8])
  const again = await loopscope(['heap', pid, '-o', path.join(folder, 'y.heapsnapshot')])
  assert.deepEqual([again.code, /pass --force/.test(again.stderr)], [1, true])
})
