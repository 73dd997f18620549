'use strict'

const assert = require('node:assert/strict')
const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const { createRequire } = require('node:module')
const os = require('node:os')
const path = require('node:path')
const test = require('node:test')
const { claimSocketPath } = require('../../lib/observer/admin/socket-path')

const DIES_LISTENING = "require('node:net').createServer().listen(process.argv[1], () => process.kill(process.pid, 'SIGKILL'))"

function makeFolder (t) {
  const folder = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), 'loopscope-socket-'))
  t.after(() => fs.rmSync(folder, { recursive: true }))
  return folder
}

/** Two packages that are links, as pnpm installs them. */
function linkPackages (folder) {
  const modules = path.join(folder, 'node_modules')
  for (const name of ['first', 'second']) {
    fs.mkdirSync(path.join(folder, 'store', name), { recursive: true })
    fs.writeFileSync(path.join(folder, 'store', name, 'index.js'), '')
    fs.mkdirSync(modules, { recursive: true })
    fs.symlinkSync(path.join(folder, 'store', name), path.join(modules, name), 'junction')
  }
  return createRequire(path.join(folder, 'app.js'))
}

test('the socket of a dead process is removed, and packages that are links are found where they are afterwards', { skip: process.platform === 'win32' && 'named pipes go with their process' }, async t => {
  const folder = makeFolder(t)
  const socket = path.join(folder, 'dead.sock')
  spawnSync(process.execPath, ['--eval', DIES_LISTENING, socket])
  assert.ok(fs.existsSync(socket))
  const application = linkPackages(folder)
  application.resolve('first')
  await claimSocketPath(socket)
  assert.equal(application.resolve('second'), path.join(folder, 'store/second/index.js'))
  assert.ok(!fs.existsSync(socket))
})

test('a file that is not a socket stays', { skip: process.platform === 'win32' && 'named pipes go with their process' }, async t => {
  const file = path.join(makeFolder(t), 'notes.txt')
  fs.writeFileSync(file, 'mine')
  await assert.rejects(claimSocketPath(file), { code: 'ERR_LOOPSCOPE_SOCKET_UNUSABLE' })
  assert.equal(fs.readFileSync(file, 'utf8'), 'mine')
})
