'use strict'

const assert = require('node:assert/strict')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const test = require('node:test')
const { defaultDir } = require('../../lib/shared/store/defaults')
const { createStore } = require('../../lib/observer/store/store')
const { makeScratch, mountScratch, artifact } = require('./scratch')

const WINDOWS = process.platform === 'win32' && 'Windows has no such modes'
const modeOf = file => (fs.statSync(file).mode & 0o7777).toString(8)

test('makes the directory and those above it private, whatever the umask', { skip: WINDOWS }, t => {
  for (const umask of [0o000, 0o777]) {
    const dir = path.join(makeScratch(t), 'above', 'captures')
    const before = process.umask(umask)
    try {
      createStore({ dir }).prepare()
    } finally {
      process.umask(before)
    }
    assert.deepEqual([modeOf(path.dirname(dir)), modeOf(dir)], ['700', '700'])
  }
})

test('leaves the mode of a directory that was there as it is', { skip: WINDOWS }, t => {
  const dir = makeScratch(t)
  fs.chmodSync(dir, 0o755)
  const store = createStore({ dir })
  store.prepare()
  store.prepare()
  assert.equal(modeOf(dir), '755')
})

test('refuses a symbolic link, also behind a trailing slash, and a file', t => {
  const scratch = makeScratch(t)
  const [real, link, dangling, file] = ['real', 'link', 'dangling', 'file'].map(name => path.join(scratch, name))
  fs.mkdirSync(real)
  fs.symlinkSync(real, link, 'junction')
  fs.symlinkSync(path.join(scratch, 'nowhere'), dangling, 'junction')
  fs.writeFileSync(file, '')
  for (const dir of [link, `${link}/`, `${link}/.`, dangling, file]) {
    const store = createStore({ dir, retention: { minFreeBytes: 0 } })
    assert.throws(() => store.prepare(), { code: 'ERR_LOOPSCOPE_STORE_UNSAFE' }, dir)
    assert.throws(() => store.write(artifact()), { code: 'ERR_LOOPSCOPE_STORE_UNSAFE' }, dir)
  }
  assert.deepEqual(fs.readdirSync(real), [])
})

test('refuses the directory of another user, and one that changed hands after the start', t => {
  if (process.geteuid?.() !== 0) return t.skip('only root can give a directory away')
  const dir = path.join(makeScratch(t), 'captures')
  const store = createStore({ dir, retention: { minFreeBytes: 0 } })
  store.prepare()
  fs.chownSync(dir, 65534, 65534)
  const refused = { code: 'ERR_LOOPSCOPE_STORE_UNSAFE', message: /owned by uid 65534 .* uid 0/ }
  assert.throws(() => store.prepare(), refused)
  assert.throws(() => store.write(artifact()), refused)
})

test('reports the system\'s reason why a directory cannot be used', t => {
  const scratch = makeScratch(t)
  fs.writeFileSync(path.join(scratch, 'file'), '')
  fs.symlinkSync(path.join(scratch, 'nowhere'), path.join(scratch, 'dangling'), 'junction')
  for (const [above, reason] of [['file', /ENOTDIR|ENOENT/], ['dangling', /ENOENT/]]) {
    const store = createStore({ dir: path.join(scratch, above, 'captures') })
    assert.throws(() => store.prepare(), { code: 'ERR_LOOPSCOPE_STORE_UNWRITABLE', message: reason })
  }
})

test('finds out at the start that a directory is read-only', { skip: WINDOWS }, t => {
  const isRoot = process.geteuid?.() === 0
  const dir = isRoot ? mountScratch(t, 'size=64k,ro') : makeScratch(t)
  if (dir === null) return
  if (!isRoot) fs.chmodSync(dir, 0o500)
  for (const each of [dir, path.join(dir, 'below')]) {
    assert.throws(() => createStore({ dir: each }).prepare(), { code: 'ERR_LOOPSCOPE_STORE_UNWRITABLE', message: /EROFS|EACCES/ })
  }
})

test('the default directory is one of this user below the temporary directory', () => {
  assert.equal(path.dirname(defaultDir()), path.resolve(os.tmpdir()))
  assert.match(path.basename(defaultDir()), /^loopscope-[a-z0-9_]+$/)
  assert.equal(createStore().dir, defaultDir())
})
