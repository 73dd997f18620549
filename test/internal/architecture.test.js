'use strict'

// Holds every file of lib/ against two tables of docs/architecture.md, which are the rule itself: which thread a folder runs in, and
// "Who may require whom".

const test = require('node:test')
const assert = require('node:assert/strict')
const path = require('node:path')
const { ROOT, listFiles, readProject, readTable } = require('./project')

const LIB = path.join(ROOT, 'lib')
const files = listFiles('lib').filter(file => file.endsWith('.js')).map(file => file.slice('lib/'.length))

const rootOf = file => file.includes('/') ? `${file.split('/')[0]}/` : file

/** A room of these is a part of its own; of the others the whole folder is one. */
const WITH_ROOMS = ['main/', 'observer/', 'shared/']

function partOf (file) {
  const [root, room, ...rest] = file.split('/')
  return WITH_ROOMS.includes(`${root}/`) ? (rest.length === 0 ? file : `${root}/${room}/`) : rootOf(file)
}

/** Names in code marks of a table cell. */
const marked = cell => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name)

/** Part -> what it may require: parts or single files of them, and packages. */
const rules = new Map(readTable('docs/architecture.md', 'Who may require whom')
  .flatMap(([parts, ours, packages]) => marked(parts).map(part => [part, { ours: marked(ours), packages: marked(packages) }])))

/** Folder -> the other folders that it may require, whatever the parts may. */
const sides = new Map(readTable('docs/architecture.md', 'The tree').map(([folder, , may]) => [marked(folder)[0], marked(may)]))

// Entries: they start a thread, and belong to the one that they start.
const ENTRIES = { 'index.js': ['main/'], 'register.js': ['main/'], 'observer/entry.js': ['analysis/'] }

const FOR_ALL = 'shared/base/'

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

/** By name, also where a file of theirs is required. */
const packagesOf = file => requiresOf(file).filter(name => !name.startsWith('.') && !name.startsWith('node:'))
  .map(name => name.split('/').slice(0, name.startsWith('@') ? 2 : 1).join('/'))

test('every part of lib/ has a row in docs/architecture.md, and every row is a part', () => {
  assert.deepEqual([...rules.keys()].sort(), [...new Set(files.map(partOf))].sort())
})

for (const file of files) {
  test(`lib/${file} requires only what its part may`, () => {
    const part = partOf(file)
    const { ours, packages } = rules.get(part) ?? { ours: [], packages: [] }
    const allowed = [part, FOR_ALL, ...ours]
    assert.deepEqual(targetsOf(file).filter(target => ![target, partOf(target), rootOf(target)].some(name => allowed.includes(name))), [])
    assert.deepEqual(packagesOf(file).filter(name => !packages.includes(name)), [])
  })
}

test('nobody may require what he does not', () => {
  for (const [part, { ours, packages }] of rules) {
    const own = files.filter(file => partOf(file) === part)
    const used = own.flatMap(targetsOf).flatMap(target => [target, partOf(target), rootOf(target)])
    assert.deepEqual([...ours.filter(name => !used.includes(name)), ...packages.filter(name => !own.flatMap(packagesOf).includes(name))], [], part)
  }
})

test('no file requires one that runs in another thread', () => {
  assert.deepEqual([...sides.keys()].sort(), [...new Set(files.map(rootOf).filter(name => name.endsWith('/')))].sort())
  for (const file of files) {
    const allowed = [rootOf(file), ...sides.get(rootOf(file)) ?? [], ...ENTRIES[file] ?? []]
    assert.deepEqual(targetsOf(file).map(rootOf).filter(root => !root.startsWith('..') && !allowed.includes(root)), [], file)
  }
})

test('every file that the walks name is there', () => {
  const walks = readProject('docs/architecture.md').split('## Three walks')[1].split('\n## ')[0]
  const named = marked(walks).filter(name => /^(main|observer|shared|bridge)\/.*\.js$/.test(name))
  assert.ok(named.length > 20)
  assert.deepEqual(named.filter(name => !files.includes(name)), [])
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
