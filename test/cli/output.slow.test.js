'use strict'

// Where results go: a terminal, a pipe, a file, -o; the same for all commands.

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { stripVTControlCharacters } = require('node:util')
const { run, recorded } = require('../admin/running')
const { encodeCpuProfile } = require('../../lib/formats/cpuprofile')
const { craft } = require('../fixtures/profiles/profiles')
const { makeScratch } = require('../store/scratch')
const { cli } = require('./cli')
const { noTerminal, shell } = require('./shell')

const PROFILE = encodeCpuProfile(craft([[['serve', 'parse'], 600_000], [['serve', 'send'], 400_000]]))

/** A folder with a profile, and a shell in it. */
function files (t) {
  const folder = makeScratch(t)
  for (const name of ['a.cpuprofile', 'b.cpuprofile']) fs.writeFileSync(path.join(folder, name), PROFILE)
  return { folder, at: name => path.join(folder, name), type: (line, options) => shell(line, { cwd: folder, ...options }) }
}

/** A process, and a shell that can reach it. */
async function subject (t) {
  const app = await run(t)
  await recorded(await app.listenerUrl())
  const env = { TMPDIR: app.folder }
  return {
    pid: String(app.pid),
    at: name => path.join(app.folder, name),
    type: (line, options) => shell(line, { cwd: app.folder, env, ...options }),
    loopscope: args => cli(args, { cwd: app.folder, env })
  }
}

test('a profile is text on a terminal and in a pipe; a file is what its name says', { skip: noTerminal }, async t => {
  const { pid, at, type } = await subject(t)
  assert.match((await type(`loopscope profile ${pid}`)).screen, /CPU profile of admin-fixture/)
  assert.match((await type(`loopscope profile ${pid} | head -1`)).screen, /CPU profile of admin-fixture/)
  for (const line of ['> x.cpuprofile', '-o y.cpuprofile', '-f cpuprofile > z']) assert.equal((await type(`loopscope profile ${pid} ${line}`)).code, 0, line)
  for (const name of ['x.cpuprofile', 'y.cpuprofile', 'z']) assert.ok(JSON.parse(fs.readFileSync(at(name), 'utf8')).nodes, name)
  await type(`loopscope profile ${pid} > x.txt; loopscope profile ${pid} > x.html; loopscope profile ${pid} -o x.pb.gz`)
  assert.match(fs.readFileSync(at('x.txt'), 'utf8'), /^CPU profile of/)
  assert.match(fs.readFileSync(at('x.html'), 'utf8'), /^<!doctype html>/i)
  assert.deepEqual([...fs.readFileSync(at('x.pb.gz')).subarray(0, 2)], [0x1f, 0x8b])
})

test('what a terminal cannot show is refused before anything is asked', { skip: noTerminal }, async t => {
  const { type, folder } = files(t)
  for (const line of ['profile 1 -f pprof --seconds 60', 'profile 1 -f cpuprofile -o -', 'profile --attach 1 -f flamegraph', 'heap 1', 'heap 1 -k profile -f pprof', 'flame a.cpuprofile', 'index a.heapsnapshot', 'artifacts 1 get x.heapsnapshot']) {
    const { code, screen } = await type(`loopscope ${line}`)
    assert.equal(code, 2, line)
    assert.match(screen, /^loopscope: A terminal cannot show this result\.\r\nWrite it to a file, as in -o \S+, or redirect it with > or \|\.\r\n$/, line)
  }
  assert.deepEqual(fs.readdirSync(folder).sort(), ['a.cpuprofile', 'b.cpuprofile'])
})

test('a place that cannot be written to is refused before anything is asked', async t => {
  const { at } = files(t)
  for (const args of [['profile', '1', '--seconds', '60'], ['heap', '1'], ['flame', at('a.cpuprofile')], ['index', at('x')], ['stalls', '1'], ['diff', at('a.cpuprofile'), at('b.cpuprofile')], ['artifacts', '1', 'get', 'x'], ['list']]) {
    for (const [output, message] of [[at('a.cpuprofile'), /a\.cpuprofile already exists/], [at('none/x'), /Cannot write .*: the folder .*none does not exist\./], [at('a.cpuprofile/x'), /is not a folder|ENOTDIR/], ['', /takes a file, a folder, or -/]]) {
      const { code, stderr, stdout } = await cli([...args, '-o', output])
      assert.deepEqual([[1, 2].includes(code), message.test(stderr), stdout], [true, true, ''], `${args.join(' ')} -o ${output}: ${stderr}`)
    }
  }
  assert.deepEqual(fs.readFileSync(at('a.cpuprofile')), PROFILE)
})

test('text commands print the same to a terminal, a pipe, a file and with -o', { skip: noTerminal }, async t => {
  const { type, at } = files(t)
  for (const line of ['report a.cpuprofile', 'diff a.cpuprofile b.cpuprofile', 'list', 'report a.cpuprofile -o -']) {
    const shown = stripVTControlCharacters((await type(`loopscope ${line}`)).screen).replaceAll('\r', '')
    await type(`loopscope ${line} > redirected 2>&1; loopscope ${line} 2>&1 | cat > piped`)
    for (const name of ['redirected', 'piped']) assert.equal(fs.readFileSync(at(name), 'utf8'), shown, `${line} ${name}`)
  }
  assert.equal((await type('loopscope report a.cpuprofile -o written')).code, 0)
  const { stdout } = await cli(['report', 'a.cpuprofile'], { cwd: path.dirname(at('a')) })
  assert.equal(fs.readFileSync(at('written'), 'utf8'), stdout)
  assert.equal(fs.statSync(at('written')).mode & 0o777, 0o600)
})

test('--force writes over a file as a whole, through a link, and a device takes what it gets', async t => {
  const { at, folder } = files(t)
  fs.writeFileSync(at('real.html'), 'old')
  fs.symlinkSync(at('real.html'), at('link.html'))
  assert.equal((await cli(['flame', at('a.cpuprofile'), '-o', at('link.html')])).code, 1)
  assert.equal((await cli(['flame', at('a.cpuprofile'), '-o', at('link.html'), '--force'])).code, 0)
  assert.ok(fs.lstatSync(at('link.html')).isSymbolicLink())
  assert.match(fs.readFileSync(at('real.html'), 'utf8'), /^<!doctype html>/i)
  assert.equal((await cli(['flame', at('a.cpuprofile'), '-o', '/dev/null'])).code, 0)
  assert.deepEqual(fs.readdirSync(folder).filter(name => name.includes('.part')), [])
})

test('a reader that has read enough ends a command in peace', { skip: noTerminal }, async t => {
  const { pid, type } = await subject(t)
  for (const line of [`metrics ${pid}`, `heap ${pid} --force`, `profile ${pid} -f flamegraph`, 'help']) {
    const { screen } = await type(`(loopscope ${line}; echo "code $?" >&2) | head -c 10 > /dev/null`)
    assert.match(screen, /code 0\r\n$/, line)
  }
})

test('a heap snapshot goes into a pipe, a folder and a file, with its facts beside it', async t => {
  const { pid, at, loopscope } = await subject(t)
  const { stdout } = await loopscope(['heap', pid])
  assert.ok(JSON.parse(stdout).snapshot.node_count > 1000)
  fs.mkdirSync(at('here'))
  const { code, stderr } = await loopscope(['heap', pid, '-o', at('here'), '--force'])
  assert.equal(code, 0, stderr)
  const [file, facts] = fs.readdirSync(at('here')).sort()
  assert.match(file, /^heap-snapshot-\d{8}t\d{6}\.heapsnapshot$/)
  assert.equal(facts, `${file}.json`)
})

test('a table is as wide as COLUMNS says, off a terminal and with --wide nothing is cut', async t => {
  const folder = makeScratch(t)
  const long = 'a'.repeat(150)
  for (const [name, stack] of [['before', ['serve', 'parse']], ['after', ['serve', long]]]) fs.writeFileSync(path.join(folder, `${name}.cpuprofile`), encodeCpuProfile(craft([[stack, 600_000]])))
  const width = async (args, env) => {
    const { stdout } = await cli(['diff', 'before.cpuprofile', 'after.cpuprofile', ...args], { cwd: folder, env: { COLUMNS: '', ...env } })
    return Math.max(...stdout.split('\n').filter(line => line.includes('aaa')).map(line => line.length))
  }
  for (const columns of [60, 100, 120]) assert.equal(await width([], { COLUMNS: String(columns) }), columns)
  assert.ok(await width([]) > 150)
  assert.ok(await width(['--wide'], { COLUMNS: '80' }) > 150)
})
