'use strict'

// `loopscope bench` with real applications and the real autocannon, for a second each.

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const net = require('node:net')
const path = require('node:path')
const { cli } = require('./cli')
const { listen } = require('../http/listening')
const { makeShortScratch } = require('../store/scratch')

const LOGIN = path.join(__dirname, '..', 'fixtures', 'bench', 'login.js')
const QUICK = ['--rounds', '1', '--seconds', '1', '--warm-up', '0', '--connections', '5']

/** Its temporary folder is that of the test: control sockets of others are not looked at. */
function bench (t, args, { folder = makeShortScratch(t), ...options } = {}) {
  return cli(['bench', ...args], { cwd: folder, env: { TMPDIR: folder }, ...options })
}

const isAlive = pid => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

test('a login before and after: what was measured is saved, the hash has gone from the loop, and the application has ended', async t => {
  const folder = makeShortScratch(t)
  for (const [name, ...args] of [['before.json'], ['after.json', 'off']]) {
    const { code, stderr, stdout } = await bench(t, [...QUICK, '--url', '/login', '-o', name, '--', process.execPath, LOGIN, ...args], { folder })
    assert.equal(code, 0, stderr)
    assert.match(stdout.replace(/\s+/g, ' '), /GET \/login: 1 round of 1 s, 5 connections.*requests\/s \d.*loop delay p99, ms/) // lines break at 80 columns
    assert.match(stderr, /listening on \d+\n/)
    assert.doesNotMatch(stderr, /"name":"loopscope"/)
  }
  const [before, after] = ['before.json', 'after.json'].map(name => JSON.parse(fs.readFileSync(path.join(folder, name), 'utf8')))
  for (const { kind, version, application, rounds: [round] } of [before, after]) {
    assert.deepEqual([kind, version, application.nodeVersion], ['loopscope-bench', 1, process.versions.node])
    assert.ok(round.answered > 0 && round.perSecond > 0 && round.latencyMs.max >= round.latencyMs.p50 && round.cpuMsPerRequest > 0)
    assert.ok(round.delayMs.max >= round.delayMs.p50 && round.utilization > 0 && round.from < round.to)
    assert.deepEqual(round.statusCodes, { 200: round.answered })
    assert.equal(isAlive(round.pid), false)
  }
  assert.ok(before.rounds[0].findings.length > 0) // which ones is a matter of the machine: a second is little
  assert.ok(before.profile.profile.nodes.some(({ callFrame }) => callFrame.functionName === 'login'))
  const compared = await bench(t, ['--compare', 'before.json', 'after.json'], { folder })
  assert.equal(compared.code, 0, compared.stderr)
  assert.match(compared.stdout, /what got colder.*\n.*\n *-[\d.]+ .*crypto\.pbkdf2Sync/)
  assert.equal((await bench(t, ['--compare', 'before.json', 'after.json', '-o', 'change.html'], { folder })).code, 0)
  assert.match(fs.readFileSync(path.join(folder, 'change.html'), 'utf8'), /<h1>What changed: GET \/login<\/h1>/)
  const asJson = JSON.parse((await bench(t, ['--compare', 'before.json', 'after.json', '--json'], { folder })).stdout)
  assert.equal(asJson.chance, 1)
  assert.ok(asJson.functions.colder[0].name.startsWith('crypto.pbkdf2Sync'))
})

test('answers that are no success are measured, and said loudly; what a shell starts is found and ended', async t => {
  const folder = makeShortScratch(t)
  const { code, stdout, stderr } = await bench(t, [...QUICK, '--quiet', '--no-pin', '--url', '/missing', '-o', 'x.json', '--', 'sh', '-c', `${process.execPath} ${LOGIN}; true`], { folder })
  assert.equal(code, 0, stderr)
  assert.match(stdout, /NO ANSWER WAS SUCCESSFUL \(404: \d+\)/)
  assert.match(stdout, /shared the CPUs \(--no-pin\)/)
  assert.doesNotMatch(stderr, /listening on/)
  assert.equal(isAlive(JSON.parse(fs.readFileSync(path.join(folder, 'x.json'), 'utf8')).rounds[0].pid), false)
})

for (const [what, args, message] of [
  ['ends at once', ['--', process.execPath, '-e', 'throw new TypeError("boom")'], /The application ended \(exit code 1\): TypeError: boom/],
  ['is not there', ['--', '/nowhere/at/all'], /Cannot run \/nowhere\/at\/all: /],
  ['does not listen', ['--start', '1', '--', process.execPath, '-e', 'setInterval(() => {}, 1000)'], /did not listen within 1 s\.\nAllow more time with --start/],
  ['has no loopscope in it', ['--start', '2', '--', 'env', '-u', 'NODE_OPTIONS', process.execPath, LOGIN], /listens on port \d+, but has no loopscope in it/],
  ['listens twice', ['--', process.execPath, '-e', 'for (let i = 0; i < 2; i++) require("http").createServer().listen(0, "127.0.0.1")'], /listens on several ports: \d+, \d+\.\nSelect one with --port/],
  ['ends under load', [...QUICK, '--url', '/exit', '--', process.execPath, LOGIN], /The application ended \(exit code 3\)/],
  ['does not answer', [...QUICK, '--', process.execPath, '-e', 'require("net").createServer(socket => socket.destroy()).listen(0, "127.0.0.1")'], /No request to http:.* was answered/],
  ['answers too late', [...QUICK, '--', process.execPath, '-e', 'require("net").createServer(socket => socket.on("error", () => {}).resume()).listen(0, "127.0.0.1")'], /was answered within 1 s\.\nPass a longer --warm-up and --seconds/]
]) {
  test(`an application that ${what} is reported in a sentence, and nothing is written`, async t => {
    const folder = makeShortScratch(t)
    const { code, stderr } = await bench(t, args, { folder })
    assert.equal(code, 1, stderr)
    assert.match(stderr, message)
    assert.deepEqual(fs.readdirSync(folder).filter(name => name.endsWith('.json')), [])
  })
}

test('a port that is in use is reported, whichever check finds it', async t => {
  const port = await listen(t, net.createServer())
  const asked = await bench(t, ['--port', String(port), '--', process.execPath, LOGIN])
  assert.deepEqual([asked.code, /Port \d+ is in use by another process, which would be measured/.test(asked.stderr)], [1, true], asked.stderr)
  const failed = await bench(t, ['--', 'env', `PORT=${port}`, process.execPath, LOGIN])
  assert.deepEqual([failed.code, failed.stderr.includes(`its port ${port} is in use.`)], [1, true], failed.stderr)
})

test('Ctrl-C ends the load and the application, one that does not want to, too', async t => {
  const folder = makeShortScratch(t)
  const script = 'process.on("SIGTERM", () => {}); require("node:http").createServer((q, r) => r.end()).listen(0, "127.0.0.1"); require("node:fs").writeFileSync("pid", String(process.pid)); console.log("running")'
  let isAsked = false
  const { code, stderr } = await bench(t, ['--', process.execPath, '-e', script], {
    folder,
    onOutput: (child, text) => {
      if (isAsked || !text.includes('running')) return
      isAsked = true
      child.kill('SIGINT')
    }
  })
  assert.deepEqual([code, /Interrupted/.test(stderr)], [130, true], stderr)
  const pid = Number(fs.readFileSync(path.join(folder, 'pid'), 'utf8'))
  while (isAlive(pid)) await new Promise(resolve => setTimeout(resolve, 20))
})
