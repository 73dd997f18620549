'use strict'

// Holds every file of lib/ against the table of docs/architecture.md, "The tree": which folder may require which, and which packages.

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { ROOT, listFiles, readProject, readTable } = require('./project')

const LIB = path.join(ROOT, 'lib')
const files = listFiles('lib').filter(file => file.endsWith('.js')).map(file => file.slice('lib/'.length))

const folderOf = file => file.includes('/') ? `${file.split('/')[0]}/` : file

/** Names in code marks of a table cell. */
const marked = cell => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name)

/** Folder -> the other folders and the packages that it may require. */
const rules = new Map(readTable('docs/architecture.md', 'The tree')
  .map(([folder, , ours, packages]) => [marked(folder)[0], { ours: marked(ours), packages: marked(packages) }]))

/** They start a process or a thread, and may require what that begins with. */
const ENTRIES = {
  'index.js': ['api/'],
  'register.js': ['api/', 'base/'],
  'observer/entry.js': ['heap-diff/', 'source-maps/']
}

/** What a file requires, wherever in the file it stands. */
function requiresOf (file) {
  const source = readProject(`lib/${file}`).replace(/\/\*[\s\S]*?\*\/|^ *\/\/.*$/gm, '')
  return [...source.matchAll(/\b(?:require|require\.resolve|import)\(\s*['"]([^'"]+)['"]/g)].map(([, name]) => name)
}

/** Files of ours that a file requires, relative to lib/. */
function targetsOf (file) {
  const folder = path.join(LIB, path.dirname(file))
  return requiresOf(file).filter(name => name.startsWith('.'))
    .map(name => path.relative(LIB, require.resolve(path.join(folder, name))).split(path.sep).join('/'))
}

/** Folders of ours that a file requires. package.json, which is beside lib/, every file may read. */
const foldersOf = file => targetsOf(file).filter(target => target !== '../package.json').map(folderOf)

/** By name, also where a file of theirs is required. */
const packagesOf = file => requiresOf(file).filter(name => !name.startsWith('.') && !name.startsWith('node:'))
  .map(name => name.split('/').slice(0, name.startsWith('@') ? 2 : 1).join('/'))

test('every folder of lib/ has a row in docs/architecture.md, and every row is a folder', () => {
  assert.deepEqual([...rules.keys()].sort(), [...new Set(files.map(folderOf))].filter(name => name.endsWith('/')).sort())
})

test('every file requires only what its folder may', () => {
  for (const file of files) {
    const folder = folderOf(file)
    const { ours, packages } = rules.get(folder) ?? { ours: [], packages: [] }
    const allowed = [folder, ...ours, ...ENTRIES[file] ?? []]
    assert.deepEqual(foldersOf(file).filter(name => !allowed.includes(name)), [], file)
    assert.deepEqual(packagesOf(file).filter(name => !packages.includes(name)), [], file)
  }
})

test('no folder may require what it does not', () => {
  for (const [folder, { ours, packages }] of rules) {
    const own = files.filter(file => folderOf(file) === folder)
    assert.deepEqual(ours.filter(name => !own.flatMap(foldersOf).includes(name)), [], folder)
    assert.deepEqual(packages.filter(name => !own.flatMap(packagesOf).includes(name)), [], folder)
  }
})

test('every file of shared/ is used by two folders', () => {
  /** @type {Map<string, Set<string>>} */
  const users = new Map()
  for (const file of files.filter(file => folderOf(file) !== 'shared/')) {
    const note = target => {
      if (folderOf(target) !== 'shared/') return
      users.set(target, (users.get(target) ?? new Set()).add(folderOf(file)))
      targetsOf(target).forEach(note)
    }
    targetsOf(file).forEach(note)
  }
  assert.deepEqual(files.filter(file => folderOf(file) === 'shared/' && (users.get(file)?.size ?? 0) < 2), [])
})

test('every file that the picture, the walks and the tables name is there', () => {
  const named = marked(readProject('docs/architecture.md').replace(/```[^]*?```/g, '')).filter(name => /\/.*\.js$/.test(name) && !name.includes('<'))
  const isThere = name => fs.existsSync(path.join(ROOT, name)) || files.some(file => `/${file}`.endsWith(`/${name}`))
  assert.ok(named.length > 40)
  assert.deepEqual(named.filter(name => !isThere(name)), [])
})

test('no file requires itself by way of others', () => {
  const done = new Set()
  const visit = (file, way) => {
    assert.ok(!way.includes(file), [...way, file].join(' -> '))
    if (done.has(file)) return
    for (const target of targetsOf(file)) visit(target, [...way, file])
    done.add(file)
  }
  for (const file of files) visit(file, [])
})

test('every dependency of package.json is required, and nothing else is', () => {
  const { dependencies } = require('../../package.json')
  assert.deepEqual([...new Set(files.flatMap(packagesOf))].sort(), Object.keys(dependencies).sort())
})
