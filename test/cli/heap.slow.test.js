'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { get, run } = require('../admin/running')
const { cli } = require('./cli')
const { KEYS, noTerminal, shell, typeOnce } = require('./shell')

/** The application, the command line in its temporary folder, and files there. */
async function subject (t) {
  const app = await run(t)
  await app.listenerUrl()
  while (!fs.existsSync(app.socketPath)) await new Promise(resolve => setTimeout(resolve, 20))
  const loopscope = (args, options = {}) => cli(args, { ...options, cwd: app.folder, env: { TMPDIR: app.folder } })
  return { ...app, pid: String(app.pid), loopscope, hold: count => get(`${app.url}/hold?count=${count}`).then(response => response.text()), at: name => path.join(app.folder, name) }
}

test('a heap profile names what allocates, is drawn and printed, and two are compared', async t => {
  const { loopscope, pid, hold, at } = await subject(t)
  const [before, after] = ['before.heapprofile', 'after.heapprofile'].map(at)
  const empty = await loopscope(['heap', pid, '--kind', 'profile', '--seconds', '0.2', '-o', before])
  assert.deepEqual([empty.code, /written: .*before\.heapprofile/.test(empty.stderr)], [0, true], empty.stderr)
  const holding = setInterval(() => hold(2000).catch(() => {}), 100)
  const { code, stderr } = await loopscope(['heap', pid, '--kind', 'profile', '--seconds', '3', '-o', after])
  clearInterval(holding)
  assert.equal(code, 0, stderr)
  const { rows: [top] } = JSON.parse((await loopscope(['diff', before, after, '--json'])).stdout)
  assert.equal(top.name, 'holdOrders')
  assert.ok(top.selfChange > 1e6, `${top.selfChange}`)
  assert.match((await loopscope(['diff', before, after])).stdout, /^sampled: .*\n *CHANGE .*\n(?:[^]*\n)? *\+\d+\.\d MB [^]*holdOrders \S/)
  assert.match((await loopscope(['report', after])).stdout, /\n *\d+\.\d+ +\d+\.\d% +\d+\.\d+ {2}holdOrders /)
  assert.equal((await loopscope(['flame', after, '-o', at('after.html')])).code, 0)
  assert.match(fs.readFileSync(at('after.html'), 'utf8'), /"unit":"bytes"/)
})

test('a histogram counts exactly, and two say how many more there are', async t => {
  const { loopscope, pid, hold, at } = await subject(t)
  const [before, after] = ['before.json', 'after.json'].map(at)
  await hold(1000)
  assert.equal((await loopscope(['heap', pid, '--kind', 'histogram', '-o', before])).code, 0)
  await hold(500)
  assert.equal((await loopscope(['heap', pid, '-k', 'histogram', '-o', after])).code, 0)
  assert.deepEqual(JSON.parse(fs.readFileSync(before, 'utf8')).classes.find(({ name }) => name === 'Order'), { name: 'Order', count: 1000 })
  const { isSameProcess, rows } = JSON.parse((await loopscope(['diff', before, after, '--json'])).stdout)
  assert.deepEqual([isSameProcess, rows.find(({ name }) => name === 'Order')], [true, { name: 'Order', before: 1000, after: 1500, change: 500 }])
  assert.match((await loopscope(['diff', before, after])).stdout, /^[\d,]+ objects before, [\d,]+ after\n *CHANGE .*\n[^]* *\+500 +1000 +1500 {2}Order\n/)
})

test('no snapshot is taken where the file beside it could not be written', async t => {
  const { loopscope, pid, at } = await subject(t)
  fs.writeFileSync(at('h.heapsnapshot.json'), 'of another one')
  const { code, stderr } = await loopscope(['heap', pid, '-o', at('h.heapsnapshot')])
  assert.deepEqual([code, /h\.heapsnapshot\.json already exists/.test(stderr), fs.existsSync(at('h.heapsnapshot'))], [1, true, false], stderr)
  assert.deepEqual(JSON.parse((await loopscope(['artifacts', pid, '--json'])).stdout), [])
  const forced = await loopscope(['heap', pid, '-o', at('h.heapsnapshot'), '--force'])
  assert.equal(forced.code, 0, forced.stderr)
  assert.equal(JSON.parse(fs.readFileSync(at('h.heapsnapshot.json'), 'utf8')).pid, Number(pid))
})

test('what does not go together is said: kinds, options, files', async t => {
  const { loopscope, pid, at } = await subject(t)
  for (const [name, content] of [['a.json', '{"a":1}'], ['b.heapprofile', '{"head":null}']]) fs.writeFileSync(at(name), content)
  for (const [args, expected, message] of [
    [['heap', pid, '--kind', 'everything'], 2, /everything is not a kind[^]*snapshot, profile, histogram/],
    [['heap', pid, '--kind', 'histogram', '--seconds', '3'], 2, /seconds/],
    [['heap', pid, '--kind', 'profile', '--mode', 'some'], 2, /one of live, all/],
    [['heap', pid, '--kind', 'profile', '--seconds', 'soon'], 2, /--seconds/],
    [['heap', pid, '--kind', 'histogram', '--format', 'pprof'], 2, /json, text/],
    [['diff', at('a.json'), at('a.json')], 1, /a\.json is not a heap histogram/],
    [['diff', at('b.heapprofile'), at('b.heapprofile')], 1, /b\.heapprofile is not a heap profile/],
    [['diff', at('a.json'), at('b.heapprofile')], 2, /are of different kinds/],
    [['flame', at('b.heapprofile')], 1, /b\.heapprofile is not a heap profile/]
  ]) {
    const { code, stderr } = await loopscope(args)
    assert.deepEqual([code, message.test(stderr)], [expected, true], `${args.join(' ')}: ${code} ${stderr}`)
  }
})

test('Ctrl-C cancels a heap profile in the process too', { skip: noTerminal }, async t => {
  const { loopscope, pid, folder } = await subject(t)
  const onOutput = typeOnce(/heap profile \[/, KEYS.interrupt)
  const interrupted = await shell(`loopscope heap ${pid} --kind profile --seconds 200`, { env: { TMPDIR: folder }, onOutput })
  assert.equal(interrupted.code, 130, interrupted.screen)
  // The other mode would wait for a reader that were still there.
  assert.equal((await loopscope(['heap', pid, '--kind', 'profile', '--mode', 'all', '--seconds', '0.1', '-f', 'text'])).code, 0)
})
