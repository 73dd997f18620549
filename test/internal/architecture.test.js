'use strict'

// Holds every file of lib/ against the table "Who may require whom" of docs/architecture.md, which is the rule itself.

const test = require('node:test')
const assert = require('node:assert/strict')
const path = require('node:path')
const { ROOT, listFiles, readProject, readTable } = require('./project')

const LIB = path.join(ROOT, 'lib')
const files = listFiles('lib').filter(file => file.endsWith('.js')).map(file => file.slice('lib/'.length))

const partOf = file => file.includes('/') ? `${file.split('/')[0]}/` : file

/** Names in code marks of a table cell. */
const marked = cell => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name)

/** Part -> what it may require: parts or single files of them, and packages. */
const rules = new Map(readTable('docs/architecture.md', 'Who may require whom')
  .flatMap(([parts, ours, packages]) => marked(parts).map(part => [part, { ours: marked(ours), packages: marked(packages) }])))

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
    const allowed = [part, ...ours]
    assert.deepEqual(targetsOf(file).filter(target => !allowed.includes(target) && !allowed.includes(partOf(target))), [])
    assert.deepEqual(packagesOf(file).filter(name => !packages.includes(name)), [])
  })
}

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
