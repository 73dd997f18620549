'use strict'

// Named pipes, and files without modes and user ids. On Linux the system is pretended; test/platforms/windows.sh runs the real node.exe.

const test = require('node:test')
const assert = require('node:assert/strict')
const { execFile, execFileSync, spawn } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const path = require('node:path')
const readline = require('node:readline')
const { setTimeout: sleep } = require('node:timers/promises')
const { promisify } = require('node:util')
const { makeScratch } = require('../store/scratch')

const LIB = path.join(__dirname, '../../lib')
const PRELOAD = process.platform === 'win32' ? [] : ['--require', path.join(__dirname, '../fixtures/platforms/win32.js')]
const CLI = path.join(__dirname, '../../bin/loopscope.js')
const APPLICATION = path.join(__dirname, '../fixtures/apps/block.js')

function surroundings (t, env = {}) {
  const cwd = makeScratch(t)
  return { cwd, env: { ...process.env, TMPDIR: cwd, TEMP: cwd, TMP: cwd, ...env } }
}

/** What an expression gives in a process on Windows. */
function onWindows (expression, options = {}) {
  const code = `const lib = name => require(${JSON.stringify(LIB)} + '/' + name); console.log(JSON.stringify(${expression}))`
  return JSON.parse(execFileSync(process.execPath, [...PRELOAD, '-e', code], { ...options, encoding: 'utf8' }))
}

async function start (t, options) {
  const child = spawn(process.execPath, [...PRELOAD, APPLICATION], { ...options, stdio: ['ignore', 'pipe', 'inherit'] })
  t.after(() => { child.kill('SIGKILL') })
  for await (const line of readline.createInterface({ input: child.stdout })) {
    if (line.startsWith('{"port"')) return { child, pid: child.pid, url: `http://127.0.0.1:${JSON.parse(line).port}` }
  }
  throw new Error('the application ended')
}

async function loopscope (options, ...args) {
  const { stdout } = await promisify(execFile)(process.execPath, [...PRELOAD, CLI, ...args], options)
  return stdout
}

/** A stall is judged a moment after it. */
async function untilStalls (options, target) {
  for (;;) {
    const text = await loopscope(options, 'stalls', target)
    if (text.includes('GET /spin/:ms')) return
  }
}

test('the command line reaches a process, and a group, by a pipe whose name nobody can guess', { timeout: 60_000 }, async t => {
  const options = surroundings(t)
  const apps = [await start(t, options), await start(t, options)]
  const [{ pid, url }, other] = apps
  const directory = onWindows("lib('shared/admin/control-directory').chooseControlDirectory()", options)
  for (const app of apps) while (!fs.existsSync(path.join(directory, `${app.pid}.json`))) await sleep(20)
  await fetch(`${url}/spin/300`)

  const pipes = apps.map(({ pid }) => JSON.parse(fs.readFileSync(path.join(directory, `${pid}.json`), 'utf8')).pipe)
  for (const [index, pipe] of pipes.entries()) assert.match(pipe, new RegExp(`^\\\\\\\\\\.\\\\pipe\\\\loopscope-${apps[index].pid}-[0-9a-f]{32}$`))
  assert.notEqual(pipes[0].slice(-32), pipes[1].slice(-32))

  assert.deepEqual(JSON.parse(await loopscope(options, 'list', '--json')).map(({ pid }) => pid).sort(), apps.map(({ pid }) => pid).sort())
  await untilStalls(options, String(pid))
  const { group } = JSON.parse(fs.readFileSync(path.join(directory, `${pid}.json`), 'utf8'))
  const ofGroup = await loopscope(options, 'top', '--group', group)
  for (const app of apps) assert.match(ofGroup, new RegExp(`\\b${app.pid}\\b`))

  other.child.kill('SIGKILL')
  await once(other.child, 'exit')
  await untilStalls(options, group) // the name is that of one process now
})

test('the folder of the pipes\' names is in the user\'s temporary one, never in one that other users could have made', t => {
  const options = surroundings(t, { XDG_RUNTIME_DIR: '/tmp' })
  const directory = onWindows("lib('shared/admin/control-directory').chooseControlDirectory(process.env.XDG_RUNTIME_DIR)", options)
  assert.equal(path.relative(options.cwd, path.dirname(path.dirname(directory))), '')
  assert.match(path.basename(path.dirname(directory)), /^loopscope-[a-z0-9_]+$/)
  const { directories } = onWindows("lib('cli/connect/control-sockets').controlDirectories(process.env)", options)
  assert.deepEqual(directories, [directory])
  const { candidates } = onWindows("lib('cli/connect/control-sockets').findControlSocket(4711, process.env)", options)
  assert.deepEqual(candidates, [path.join(directory, '4711.sock')])
})

test('facts that name another pipe than one of loopscope\'s are not believed, and elsewhere no pipe is', t => {
  const options = surroundings(t)
  const facts = { pid: 1, start: '0', namespace: 'h1', startedAt: 0, appName: 'a', group: 'a', version: '1', instance: null, socket: '1.sock' }
  const write = pipe => fs.writeFileSync(path.join(options.cwd, '1.json'), JSON.stringify({ ...facts, pipe }))
  const read = () => onWindows(`lib('shared/group/member-facts').readFacts(${JSON.stringify(options.cwd)}, '1.json', [])`, options)
  const pipe = `\\\\.\\pipe\\loopscope-1-${'a'.repeat(32)}`
  write(pipe)
  assert.equal(read().pipe, pipe)
  for (const wrong of ['\\\\.\\pipe\\lsass', `\\\\server\\pipe\\loopscope-1-${'a'.repeat(32)}`, '/tmp/a.sock']) {
    write(wrong)
    assert.equal(read(), null, wrong)
  }
  if (process.platform === 'win32') return
  const { addressOf } = require('../../lib/shared/group/member-facts')
  assert.equal(addressOf('/run', { ...facts, pipe }), '/run/1.sock')
})

test('a file is renamed over one that somebody has open: tried again for a moment, on Windows only', t => {
  const attempts = (refusals, code) => onWindows(`(() => {
    const { replaceFile } = lib('base/system/replace-file')
    let tried = 0
    require('node:fs').renameSync = () => { if (tried++ < ${refusals}) throw Object.assign(new Error('refused'), { code: '${code}' }) }
    try { replaceFile('a', 'b'); return { tried } } catch ({ code }) { return { tried, code } }
  })()`)
  for (const code of ['EPERM', 'EBUSY', 'EACCES']) assert.deepEqual(attempts(3, code), { tried: 4 })
  assert.deepEqual(attempts(1e9, 'EPERM'), { tried: 11, code: 'EPERM' })
  assert.deepEqual(attempts(1, 'ENOENT'), { tried: 1, code: 'ENOENT' })
  if (process.platform === 'win32') return
  const { replaceFile } = require('../../lib/base/system/replace-file')
  t.mock.method(fs, 'renameSync', () => { throw Object.assign(new Error('refused'), { code: 'EACCES' }) })
  assert.throws(() => replaceFile('a', 'b'), { code: 'EACCES' })
  assert.equal(fs.renameSync.mock.callCount(), 1)
})
