'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { execFileSync } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')

const LIB = path.join(__dirname, '../../lib')
const skip = process.platform === 'win32' && 'no Unix sockets by path'
// As macOS gives each user one.
const LONG = path.join(os.tmpdir(), 'folders-of-a-user-whose-temporary-directory-has-a-rather-long-name')

/** What an expression gives in a process that sees what one of macOS sees. */
function onMac (expression, env = {}) {
  const code = `const lib = name => require(${JSON.stringify(LIB)} + '/' + name); console.log(JSON.stringify(${expression}))`
  const args = ['--require', path.join(__dirname, '../fixtures/platforms/darwin.js'), '-e', code]
  return JSON.parse(execFileSync(process.execPath, args, { env: { ...process.env, ...env }, encoding: 'utf8' }))
}

/** A `ps` that answers each column as that of macOS does. */
function fakePs (t, columns) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'loopscope-ps-'))
  t.after(() => fs.rmSync(folder, { recursive: true }))
  const rows = Object.entries(columns).map(([column, text]) => `*${column}=*) echo '${text}';;`)
  fs.writeFileSync(path.join(folder, 'ps'), `#!/bin/sh\ncase "$*" in ${rows.join(' ')} esac\n`, { mode: 0o700 })
  return { PATH: `${folder}${path.delimiter}${process.env.PATH}` }
}

test('where a path of a socket would be too long below the temporary directory, it is below /tmp, and the command line looks there', { skip }, t => {
  fs.mkdirSync(LONG, { recursive: true })
  t.after(() => fs.rmSync(LONG, { recursive: true }))
  const env = { TMPDIR: LONG }
  assert.equal(onMac("lib('shared/admin/control-directory').chooseControlDirectory(undefined)", env), `/tmp/loopscope-${process.geteuid()}/control`)
  const { directories } = onMac("lib('cli/connect/control-sockets').controlDirectories({})", env)
  assert.ok(directories.includes(`/tmp/loopscope-${process.geteuid()}/control`), directories)
})

test('the name of the host, however long, makes a socket\'s name no longer than a namespace of Linux does', { skip }, () => {
  const namespace = onMac("lib('base/system/process-ids').ownNamespace('a-very-long-name-of-a-laptop-in-some-office.example.org')")
  assert.match(namespace, /^h\w{1,7}$/)
  assert.notEqual(namespace, onMac("lib('base/system/process-ids').ownNamespace('another')"))
})

test('user and TMPDIR of a process are read by ps, so that root finds the socket of another user', { skip }, t => {
  const env = fakePs(t, { uid: '  501', command: 'node server.js TMPDIR=/var/folders/ab/T/ HOME=/Users/me NODE_OPTIONS=--inspect-port=9300' })
  const { candidates } = onMac("lib('cli/connect/control-sockets').findControlSocket(4711, {})", env)
  assert.ok(candidates.includes('/var/folders/ab/T/loopscope-501/control/4711.sock'), candidates)
})

test('before a signal is sent, ps shows what the process runs, and with which flags', { skip }, t => {
  const refused = columns => onMac("lib('cli/attach').reasonAgainst(lib('cli/connect/process-facts').readRunning(4711))", fakePs(t, columns))
  const node = { state: 'S', comm: '/usr/local/bin/node', args: 'node server.js', command: 'node server.js HOME=/Users/me' }
  assert.equal(refused(node), null)
  assert.match(refused({ ...node, comm: '/usr/bin/python3' }), /it is not Node\.js/)
  assert.match(refused({ ...node, state: 'T' }), /it is stopped/)
  assert.match(refused({ ...node, command: 'node server.js NODE_OPTIONS=--disable-sigusr1' }), /--disable-sigusr1/)
})

test('free memory is what the system can make free, not what nobody uses', { skip }, () => {
  const { freeBytes } = onMac("(require('node:os').freemem = () => 1e6, lib('base/system/memory-room').readMemoryRoom())")
  assert.ok(freeBytes > 1e6, String(freeBytes))
})
