'use strict'

// The directory of the control socket on a machine with other users: what they put in its place is neither used nor changed.

const test = require('node:test')
const assert = require('node:assert/strict')
const { spawn } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const path = require('node:path')
const { chooseControlDirectory, holdControlDirectory } = require('../../lib/shared/admin/control-directory')
const { makeScratch, makeShortScratch } = require('../store/scratch')
const { get, getControl, run } = require('./running')

const OTHER = 65534
const notRoot = process.geteuid?.() !== 0 && 'only root can act for another user'
const noModes = process.platform === 'win32' && 'Windows has no such modes'
const modeOf = file => fs.statSync(file).mode & 0o7777

/** As the temporary folder is: everybody's, but who made something there keeps it. */
function makeShared (t) {
  const shared = makeScratch(t)
  fs.chmodSync(shared, 0o1777)
  return shared
}

/** A directory of the other user, which a careless chmod would lock. */
function makeForeign (dir, mode = 0o755) {
  fs.mkdirSync(dir)
  fs.chmodSync(dir, mode)
  fs.chownSync(dir, OTHER, OTHER)
  return dir
}

const TRAPS = {
  'the directory above, of another user': own => makeForeign(own),
  'the directory above, a symbolic link of another user': (own, foreign) => {
    fs.symlinkSync(foreign, own)
    fs.lchownSync(own, OTHER, OTHER)
  },
  'the directory above, a symbolic link of ours': (own, foreign) => fs.symlinkSync(foreign, own),
  'the directory above, which others may write to': own => {
    fs.mkdirSync(own)
    fs.chmodSync(own, 0o777)
  },
  'the directory itself, of another user': own => {
    fs.mkdirSync(own, 0o700)
    makeForeign(path.join(own, 'control'))
  },
  'the directory itself, a symbolic link': (own, foreign) => {
    fs.mkdirSync(own, 0o700)
    fs.symlinkSync(foreign, path.join(own, 'control'))
  },
  'the directory itself, open to others': own => {
    fs.mkdirSync(own, 0o700)
    fs.mkdirSync(path.join(own, 'control'))
    fs.chmodSync(path.join(own, 'control'), 0o755)
  }
}

for (const [what, lay] of Object.entries(TRAPS)) {
  test(`refuses ${what}, and leaves all as it is`, { skip: notRoot }, t => {
    const shared = makeShared(t)
    const foreign = makeForeign(path.join(shared, 'foreign'))
    const own = path.join(shared, 'loopscope-0')
    lay(own, foreign)
    const before = [own, path.join(own, 'control'), foreign].map(dir => fs.existsSync(dir) && modeOf(dir))
    assert.throws(() => holdControlDirectory(path.join(own, 'control')), { code: 'ERR_LOOPSCOPE_SOCKET_UNUSABLE', message: /wanted a directory of this user alone, got/ })
    assert.deepEqual([own, path.join(own, 'control'), foreign].map(dir => fs.existsSync(dir) && modeOf(dir)), before)
    assert.deepEqual(fs.readdirSync(foreign), [])
  })
}

test('a process whose directory another user made reports it, and works without a control socket', { skip: notRoot }, async t => {
  const shared = makeShortScratch(t)
  fs.chmodSync(shared, 0o1777)
  const foreign = makeForeign(path.join(shared, 'loopscope-0'))
  const { until, url } = await run(t, { env: { TMPDIR: shared } })
  const { code, msg } = await until(/^the command line cannot reach this process/)
  assert.equal(code, 'LOOPSCOPE_WARN_CONTROL_SOCKET')
  assert.match(msg, /loopscope-0: wanted a directory of this user alone, got one owned by uid 65534/)
  assert.equal((await get(`${url}/diagnostics/loop`)).status, 200)
  assert.deepEqual([modeOf(foreign), fs.readdirSync(foreign)], [0o755, []])
})

test('a symbolic link that another user swaps in a loop leads nowhere', { skip: notRoot }, async t => {
  const shared = makeShared(t)
  const own = path.join(shared, 'loopscope-0')
  const victim = path.join(shared, 'victim')
  fs.mkdirSync(path.join(victim, 'control'), { recursive: true })
  for (const dir of [victim, path.join(victim, 'control')]) fs.chmodSync(dir, 0o755)
  const swap = `const fs = require('node:fs'), [own, victim] = process.argv.slice(1)
    const attempt = work => { try { work() } catch {} }
    const swap = () => {
      attempt(() => fs.symlinkSync(victim, own)); attempt(() => fs.unlinkSync(own))
      attempt(() => fs.mkdirSync(own)); attempt(() => fs.rmdirSync(own))
      setImmediate(swap)
    }
    swap()
    console.log('swapping')`
  const swapper = spawn(process.execPath, ['-e', swap, own, victim], { uid: OTHER, gid: OTHER, cwd: '/', stdio: ['ignore', 'pipe', 'ignore'] })
  const ended = once(swapper, 'exit')
  t.after(() => swapper.kill('SIGKILL'))
  await once(swapper.stdout, 'data')
  for (let times = 0; times < 500; times++) {
    try {
      holdControlDirectory(path.join(own, 'control')).release()
      assert.equal(fs.lstatSync(own).uid, 0, 'it was ours')
      fs.rmSync(own, { recursive: true })
    } catch (error) {
      assert.ok(error.code === 'ERR_LOOPSCOPE_SOCKET_UNUSABLE' || error.syscall !== undefined, String(error.stack)) // mkdir and lstat may meet different things
    }
  }
  swapper.kill('SIGKILL')
  await ended
  assert.deepEqual([victim, path.join(victim, 'control')].map(modeOf), [0o755, 0o755])
  assert.deepEqual(fs.readdirSync(path.join(victim, 'control')), [])
})

test('what it holds stays what it was, also when its name is given to another one', { skip: process.platform !== 'linux' && 'only Linux names an open directory' }, t => {
  const own = path.join(makeScratch(t), 'own')
  const held = holdControlDirectory(path.join(own, 'control'))
  fs.renameSync(own, `${own}-away`)
  fs.mkdirSync(path.join(own, 'control'), { recursive: true })
  fs.writeFileSync(path.join(held.name, 'here'), '')
  held.release()
  assert.deepEqual([fs.readdirSync(path.join(own, 'control')), fs.readdirSync(path.join(`${own}-away`, 'control'))], [[], ['here']])
})

test('the runtime folder of the session is preferred where it is private to the user', { skip: noModes }, t => {
  const runtime = makeScratch(t)
  const preferred = path.join(runtime, 'loopscope', 'control')
  fs.chmodSync(runtime, 0o700)
  assert.equal(chooseControlDirectory(runtime), preferred)
  for (const mode of [0o755, 0o1777]) {
    fs.chmodSync(runtime, mode)
    assert.notEqual(chooseControlDirectory(runtime), preferred)
  }
  for (const folder of [undefined, '', 'relative', path.join(runtime, 'missing')]) assert.match(chooseControlDirectory(folder), /loopscope-\d+.control$/)
})

test('the runtime folder of another user, as it is after su, is not used', { skip: notRoot }, t => {
  const runtime = makeForeign(path.join(makeScratch(t), 'run'), 0o700)
  assert.match(chooseControlDirectory(runtime), /loopscope-0.control$/)
})

test('a process of a session has its socket in the runtime folder', { skip: noModes }, async t => {
  const runtime = makeShortScratch(t)
  const { folder, pid, listenerUrl } = await run(t, { env: { XDG_RUNTIME_DIR: runtime } })
  await listenerUrl()
  const socket = path.join(runtime, 'loopscope', 'control', `${pid}.sock`)
  while (!fs.existsSync(socket) || modeOf(socket) !== 0o600) await new Promise(resolve => setTimeout(resolve, 20))
  assert.deepEqual([path.dirname(socket), path.dirname(path.dirname(socket))].map(modeOf), [0o700, 0o700])
  assert.equal((await getControl(socket, '/loop')).status, 200)
  assert.ok(!fs.existsSync(path.join(folder, `loopscope-${process.geteuid()}`, 'control')))
})
