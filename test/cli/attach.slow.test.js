'use strict'

// profile --attach sends a signal that ends what does not wait for it: it is sent to nobody else.

const test = require('node:test')
const assert = require('node:assert/strict')
const { once } = require('node:events')
const fs = require('node:fs')
const path = require('node:path')
const { start } = require('../process/child')
const { reasonAgainst } = require('../../lib/cli/attach')
const { readFromPs } = require('../../lib/cli/connect/process-facts')
const { cli } = require('./cli')
const { noTerminal, shell } = require('./shell')
const { freePort } = require('../http/listening')

const WAIT = 'setInterval(() => {}, 1000); console.log(JSON.stringify({ msg: "running" }))'
const noProc = !fs.existsSync('/proc/self/status') && 'handlers are to be seen in /proc only'
const noDisabling = !process.allowedNodeEnvironmentFlags.has('--disable-sigusr1') && 'this Node.js cannot disable it'

const attach = (child, how = {}) => cli(['profile', '--attach', String(child.pid), '--seconds', '0.1', '-f', 'text', '-o', '-', ...how.args ?? []], how)

/** Not 9229, which other processes of this host may want. */
/** The command is refused, and the process is as it was. */
async function assertRefused ({ child }, reason, code = 8) {
  const refused = await attach(child)
  assert.match(refused.stderr, reason)
  assert.equal(refused.code, code, refused.stderr)
  assert.deepEqual([child.exitCode, child.signalCode], [null, null])
  return refused
}

test('what is not Node.js is not sent a signal, whether or not it waits for one', async t => {
  const sleeping = start(t, ['60'], { command: 'sleep' })
  await once(sleeping.child, 'spawn')
  await assertRefused(sleeping, /cannot be attached to: it is not Node\.js, but \S*(sleep|coreutils|busybox)\.\nNo signal was sent/)
  const trapping = start(t, ['-c', 'trap "echo {\\"msg\\":\\"trapped\\"}" USR1; echo {\\"msg\\":\\"running\\"}; while :; do sleep 0.1; done'], { command: 'sh' })
  await trapping.until(/^running$/)
  await assertRefused(trapping, /it is not Node\.js, but \S*\/(da|ba)?sh\./)
  assert.deepEqual(trapping.said(/trapped/), [])
})

test('a Node.js that has no handler for the signal is not ended by it', { skip: noProc }, async t => {
  const app = start(t, ['-e', `const own = () => {}; process.on('SIGUSR1', own).off('SIGUSR1', own); ${WAIT}`])
  await app.until(/^running$/)
  await assertRefused(app, /it has no handler for SIGUSR1, so the signal would end it/)
})

test('a Node.js whose inspector is disabled is left alone, and the flag is named', { skip: noDisabling }, async t => {
  for (const [args, env] of [[['--disable-sigusr1'], {}], [['--require', 'node:fs', '--disable-sigusr1'], {}], [[], { NODE_OPTIONS: '--disable-sigusr1' }]]) {
    const app = start(t, [...args, '-e', WAIT], { env })
    await app.until(/^running$/)
    await assertRefused(app, /it runs with --disable-sigusr1/)
  }
})

test('a process is profiled through its inspector, on the port that it is set to, which is closed again', async t => {
  const port = await freePort()
  const busy = 'function busy () { const until = Date.now() + 30; while (Date.now() < until); } setInterval(busy, 40);'
  const app = start(t, [`--inspect-port=${port}`, '-e', busy + WAIT])
  await app.until(/^running$/)
  const { code, stdout, stderr } = await attach(app.child, { args: ['--seconds', '1'] })
  assert.equal(code, 0, stderr)
  assert.match(stdout, /busy/)
  assert.match(stderr, new RegExp(`opens its inspector on 127.0.0.1:${port}[^]*the inspector is closed`))
  assert.equal(app.child.exitCode, null)
})

test('its profile has original positions, where people read it', async t => {
  const script = path.join(__dirname, '..', 'fixtures', 'source-maps', 'dist', 'esbuild-min', 'main.js')
  const work = `const { renderReport } = require(${JSON.stringify(script)}); setInterval(() => renderReport(30), 40);`
  const app = start(t, [`--inspect-port=${await freePort()}`, '-e', work + WAIT])
  await app.until(/^running$/)
  // Which of its functions V8 has inlined by now is chance.
  assert.match((await attach(app.child, { args: ['--seconds', '1'] })).stdout, /src\/main\.ts:\d+/)
  assert.match((await attach(app.child, { args: ['--seconds', '1', '--sources', 'generated'] })).stdout, /esbuild-min\/main\.js:1:\d{3}/)
})

test('where the port is another process\'s inspector, neither gets a signal and nothing is done to that one', async t => {
  const port = await freePort()
  const other = start(t, [`--inspect=${port}`, '-e', WAIT])
  await other.until(/^running$/)
  const app = start(t, [`--inspect-port=${port}`, '-e', WAIT])
  await app.until(/^running$/)
  await assertRefused(app, /inspector of (another )?process.*, not of \d+/, 7)
  const { code, stderr } = await attach(other.child)
  assert.deepEqual([code, /stays open/.test(stderr)], [0, true], stderr)
})

test('a process that ends while it is recorded is reported in one line, at once', { skip: noTerminal }, async t => {
  const app = start(t, [`--inspect-port=${await freePort()}`, '-e', WAIT])
  await app.until(/^running$/)
  const onOutput = (_, screen) => { if (/recording/.test(screen)) app.child.kill('SIGKILL') }
  const { code, screen } = await shell(`loopscope profile --attach ${app.child.pid} --seconds 250`, { onOutput })
  assert.equal(code, 7, screen)
  assert.match(screen, /loopscope: The process ended or closed its inspector\.\r\n$/)
})

test('a port that is any free one is not looked for', async t => {
  const app = start(t, ['--inspect-port=127.0.0.1:0', '-e', WAIT])
  await app.until(/^running$/)
  await assertRefused(app, /its inspector is set to port 0/)
})

test('a stopped process is left alone', { skip: noProc }, async t => {
  const app = start(t, ['-e', WAIT])
  await app.until(/^running$/)
  app.child.kill('SIGSTOP')
  while (!/^State:\s+T/m.test(fs.readFileSync(`/proc/${app.child.pid}/status`, 'utf8'))) await new Promise(resolve => setTimeout(resolve, 20))
  await assertRefused(app, /it is stopped/)
})

test('a handler of the application looks like Node\'s own from outside: that no inspector opened is said', async t => {
  const app = start(t, [`--inspect-port=${await freePort()}`, '-e', `process.on('SIGUSR1', () => console.log(JSON.stringify({ msg: 'own handler' }))); ${WAIT}`])
  await app.until(/^running$/)
  await assertRefused(app, /did not open its inspector[^]*its own handler/, 7)
  assert.ok(app.said(/own handler/).length > 0)
})

test('where there is no /proc, ps shows what a process runs, and whether it is stopped', { skip: process.platform === 'win32' && 'Windows has no ps' }, async t => {
  const sleeping = start(t, ['60'], { command: 'sleep' })
  await once(sleeping.child, 'spawn')
  let running = readFromPs(sleeping.child.pid)
  while (!/sleep/.test(running.executable)) running = readFromPs(sleeping.child.pid) // between fork and exec
  assert.match(reasonAgainst(running), /it is not Node\.js, but \S*sleep\./)
  sleeping.child.kill('SIGSTOP')
  while (readFromPs(sleeping.child.pid).state !== 'T') await new Promise(resolve => setTimeout(resolve, 20))
  assert.match(reasonAgainst({ ...readFromPs(sleeping.child.pid), executable: '/usr/local/bin/node' }), /it is stopped/)
  sleeping.child.kill('SIGKILL')
  await sleeping.ended
  assert.equal(readFromPs(sleeping.child.pid), null)
})

test('a Node.js by another name is recognized by its thread or its library; a network of its own is out of reach', () => {
  const shop = { executable: '/opt/shop', args: ['/opt/shop'], environment: {}, libraries: [], threads: ['shop'], state: 'S', catchesSignal: true, isInSameNetwork: true }
  assert.match(reasonAgainst(shop), /not Node\.js, but \/opt\/shop/)
  assert.equal(reasonAgainst({ ...shop, threads: ['shop', 'SignalInspector'] }), null)
  assert.equal(reasonAgainst({ ...shop, libraries: ['/usr/lib/libc.so.6', '/usr/lib/x86_64-linux-gnu/libnode.so.115'] }), null)
  for (const name of ['node', 'nodejs', 'node22']) assert.equal(reasonAgainst({ ...shop, executable: `/usr/bin/${name}` }), null)
  for (const name of ['node_exporter', 'bun', 'deno']) assert.match(reasonAgainst({ ...shop, executable: `/usr/bin/${name}` }), /not Node\.js/)
  assert.match(reasonAgainst({ ...shop, executable: '/usr/bin/node', isInSameNetwork: false }), /another network namespace/)
})
