'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { once } = require('node:events')
const fs = require('node:fs')
const http = require('node:http')
const path = require('node:path')
const { setTimeout: sleep } = require('node:timers/promises')
const { cli } = require('./cli')
const { start } = require('../process/child')
const { makeShortScratch } = require('../store/scratch')

// What it works at changes with the mark.
const APP = `
const { createHash } = require('node:crypto')
const d = require(${JSON.stringify(path.resolve(__dirname, '../..'))}).createDiagnostics({ signals: false }).start()
let isDeployed = false
function hashBefore () { for (let round = 0; round < 200; round++) createHash('sha512').update('x'.repeat(20000)).digest() }
function sortAfter () { Array.from({ length: 20000 }, (_, index) => (index * 7919) % 20011).sort((a, b) => a - b) }
setInterval(() => isDeployed ? sortAfter() : hashBefore(), 20)
process.on('message', text => {
  isDeployed = true
  d.mark(text)
})
console.log(JSON.stringify({ msg: 'runs' }))
`

async function startApp (t) {
  const folder = makeShortScratch(t)
  fs.writeFileSync(path.join(folder, 'app.js'), APP)
  const app = start(t, [path.join(folder, 'app.js')], { cwd: folder, env: { TMPDIR: folder }, stdio: ['ipc'] })
  await app.until(/^runs$/)
  const pid = String(app.child.pid)
  const loopscope = (...args) => cli(args, { env: { TMPDIR: folder } })
  while ((await loopscope('mark', pid)).code !== 0) await sleep(100)
  return { ...app, pid, loopscope, folder }
}

test('a mark is made, listed, shown beside files, and what changed with it is shown', async t => {
  const { child, pid, loopscope } = await startApp(t)
  assert.equal((await loopscope('mark', pid)).stdout, 'no marks\n')
  const made = await loopscope('mark', pid, 'started')
  assert.match(made.stderr, /^marked: started, at \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\n$/)
  await sleep(3000) // of the recorder before the mark
  child.send('deploy 42')
  let difference
  do {
    await sleep(500)
    difference = await loopscope('diff', '--mark', 'deploy 42', pid, '--json')
  } while (difference.code !== 0)
  const { before, after, rows } = JSON.parse(difference.stdout)
  const changeOf = name => rows.find(row => row.name === name)
  assert.ok(changeOf('sortAfter').totalBefore < changeOf('sortAfter').totalAfter)
  assert.ok(changeOf('hashBefore').totalBefore > changeOf('hashBefore').totalAfter)
  assert.equal(changeOf('sortAfter').place.startsWith('app.js:'), true, 'relative to the application')
  assert.ok(before.totalMs > 0 && after.totalMs > 0)
  const shown = await loopscope('diff', '--mark', 'deploy 42', pid)
  assert.match(shown.stdout, /^busy time: .* before, .* after\n/)
  assert.match(shown.stdout, /hashBefore|sortAfter/)

  const { stdout: list } = await loopscope('mark', pid)
  assert.match(list, /^TIME +MARK\n.* started\n.* deploy 42\n$/)
  assert.match((await loopscope('list')).stdout, /LAST MARK[^]*deploy 42/)
})

test('what cannot be compared, and what is no mark, is refused in one sentence', async t => {
  const { pid, loopscope } = await startApp(t)
  await loopscope('mark', pid, 'one')
  const unknown = await loopscope('diff', '--mark', 'two', pid)
  assert.deepEqual([unknown.code, unknown.stderr], [1, "loopscope: there is no mark 'two'; marks of this process: 'one'\n"])
  assert.match((await loopscope('mark', pid, 'a\nb')).stderr, /mark must be a text of 1 to 200 printable characters/)
  for (const [args, said] of [
    [['--mark', 'one', pid, 'b.cpuprofile'], /diff --mark takes one process and no files/],
    [['--mark', 'one', pid, '--html', 'x.html'], /--html cannot be used with --mark/],
    [['a.cpuprofile'], /diff takes two files, got 1/],
    [['a.cpuprofile', 'b.cpuprofile', '--token', 'x'], /--token cannot be used with a\.cpuprofile/]
  ]) {
    const { code, stderr } = await loopscope('diff', ...args)
    assert.equal(code, 2, stderr)
    assert.match(stderr, said)
  }
})

test('files show the last mark of their time, where any has one', async t => {
  const folder = fs.mkdtempSync('/tmp/ls-')
  let artifacts = []
  const server = http.createServer((request, response) => response.setHeader('Content-Type', 'application/json').end(JSON.stringify({ artifacts }))).listen(path.join(folder, 'x.sock'))
  await once(server, 'listening')
  t.after(() => {
    server.close()
    fs.rmSync(folder, { recursive: true })
  })
  const list = async () => (await cli(['artifacts', '--socket', path.join(folder, 'x.sock')])).stdout
  const plain = { name: 'cpu-a.cpuprofile', kind: 'cpu', bytes: 10, at: 0, marks: [] }
  artifacts = [plain]
  assert.doesNotMatch(await list(), /MARK/)
  artifacts = [{ ...plain, marks: [{ at: 0, text: 'deploy 41' }, { at: 1, text: 'deploy 42' }] }, plain]
  assert.match(await list(), /LAST MARK +NAME\n.* deploy 42 +cpu-a\.cpuprofile\n.* - +cpu-a/)
})
