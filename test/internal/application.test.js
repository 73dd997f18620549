'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { execFileSync, spawnSync } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { declaredClients, findApplication } = require('../../lib/probe/process/application')

/**
 * @param {import('node:test').TestContext} t
 * @param {Record<string, string>} files
 */
function makeFolder (t, files) {
  const folder = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), 'loopscope-test-'))
  t.after(() => fs.rmSync(folder, { recursive: true }))
  for (const [name, text] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
    fs.writeFileSync(path.join(folder, name), text)
  }
  return folder
}

test('the nearest package.json above the file that was started names the application', t => {
  const folder = makeFolder(t, { 'package.json': '{"name":"shop"}', 'src/bin/app.js': '' })
  assert.deepEqual(findApplication({ entry: path.join(folder, 'src/bin/app.js') }), { root: folder, name: 'shop' })
})

test('a link is followed, and a file named without its extension is found', t => {
  const folder = makeFolder(t, { 'app/package.json': '{"name":"shop"}', 'app/app.js': '', 'bin/x': '' })
  const link = path.join(folder, 'bin/shop')
  fs.symlinkSync(path.join(folder, 'app/app.js'), link)
  for (const entry of [link, path.join(folder, 'app/app')]) assert.deepEqual(findApplication({ entry }), { root: path.join(folder, 'app'), name: 'shop' })
})

test('a package.json without a name, or with a strange one, is still the root', t => {
  for (const text of ['{}', '{"name":5}', '{"name":""}']) {
    const folder = makeFolder(t, { 'package.json': text, 'app.js': '' })
    assert.deepEqual(findApplication({ entry: path.join(folder, 'app.js') }), { root: folder, name: 'node' })
  }
})

test('one that cannot be read is passed over', t => {
  for (const text of ['{', 'null', '']) {
    const folder = makeFolder(t, { 'package.json': '{"name":"outer"}', 'inner/package.json': text, 'inner/app.js': '' })
    assert.deepEqual(findApplication({ entry: path.join(folder, 'inner/app.js') }), { root: folder, name: 'outer' })
  }
})

test('one that is a pipe, whose reader would wait, is passed over, too', { skip: process.platform === 'win32' }, t => {
  const folder = makeFolder(t, { 'package.json': '{"name":"outer"}', 'inner/app.js': '' })
  execFileSync('mkfifo', [path.join(folder, 'inner/package.json')])
  const find = `require(${JSON.stringify(require.resolve('../../lib/probe/process/application'))}).findApplication({ entry: process.argv[1] }).name`
  // In a process of its own, which a wait could not hold up for ever.
  const { stdout } = spawnSync(process.execPath, ['-p', find, path.join(folder, 'inner/app.js')], { timeout: 20_000 })
  assert.equal(String(stdout), 'outer\n')
})

test('dependencies of another form than expected are none', t => {
  for (const dependencies of [5, 'prom-client', null, ['prom-client'], true]) {
    const folder = makeFolder(t, { 'package.json': JSON.stringify({ dependencies }) })
    assert.deepEqual(declaredClients(folder), [])
  }
})

test('one that only says how the files of a build are to be read is passed over, unless there is no other', t => {
  const folder = makeFolder(t, { 'package.json': '{"name":"shop"}', 'dist/package.json': '{"type":"commonjs"}', 'dist/app.js': '' })
  assert.deepEqual(findApplication({ entry: path.join(folder, 'dist/app.js') }), { root: folder, name: 'shop' })
  const alone = makeFolder(t, { 'package.json': '{"type":"module"}', 'app.js': '' })
  assert.deepEqual(findApplication({ entry: path.join(alone, 'app.js') }), { root: alone, name: 'node' })
})

test('the command of a package runs the application of the working directory', t => {
  const folder = makeFolder(t, { 'package.json': '{"name":"shop"}', 'web/package.json': '{"name":"web"}', 'web/app/page.tsx': '', 'node_modules/next/package.json': '{"name":"next"}', 'node_modules/next/bin/next.js': '' })
  const entry = path.join(folder, 'node_modules/next/bin/next.js')
  assert.deepEqual(findApplication({ entry, folder: path.join(folder, 'web') }), { root: path.join(folder, 'web'), name: 'web' })
  assert.deepEqual(findApplication({ entry, folder }), { root: folder, name: 'shop' })
})

test('where that has no code, the package is the application, under the name of the folder', t => {
  const files = { 'package.json': '{"name":"registry"}', 'config.yaml': '', 'storage/data.json': '', 'node_modules/verdaccio/package.json': '{"name":"verdaccio"}', 'node_modules/verdaccio/bin/verdaccio': '' }
  const entry = (/** @type {string} */ folder) => path.join(folder, 'node_modules/verdaccio/bin/verdaccio')
  const folder = makeFolder(t, files)
  assert.deepEqual(findApplication({ entry: entry(folder), folder }), { root: path.join(folder, 'node_modules/verdaccio'), name: 'registry' })
  const nameless = makeFolder(t, { ...files, 'package.json': '{}' })
  assert.equal(findApplication({ entry: entry(nameless), folder: nameless }).name, 'verdaccio')
  const withPlugin = makeFolder(t, { ...files, 'plugins/audit/index.mjs': '' })
  assert.equal(findApplication({ entry: entry(withPlugin), folder: withPlugin }).root, withPlugin)
})

test('a folder of which not everything can be searched has code', t => {
  const files = Object.fromEntries(Array.from({ length: 600 }, (_, index) => [`storage/${index}.json`, '']))
  const folder = makeFolder(t, { ...files, 'package.json': '{"name":"shop"}', 'node_modules/serve/package.json': '{"name":"serve"}', 'node_modules/serve/bin.js': '' })
  assert.equal(findApplication({ entry: path.join(folder, 'node_modules/serve/bin.js'), folder }).root, folder)
})

test('a package that is installed globally is the application itself where the working directory has none', t => {
  const folder = makeFolder(t, { 'lib/node_modules/serve/package.json': '{"name":"serve"}', 'lib/node_modules/serve/bin.js': '', 'www/index.html': '' })
  const root = path.join(folder, 'lib/node_modules/serve')
  assert.deepEqual(findApplication({ entry: path.join(root, 'bin.js'), folder: path.join(folder, 'www') }), { root, name: 'serve' })
})
