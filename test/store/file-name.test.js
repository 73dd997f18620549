'use strict'

const assert = require('node:assert/strict')
const test = require('node:test')
const { createFileName, parseFileName } = require('../../lib/shared/store/file-name')

const AT = Date.UTC(2026, 10, 20, 12, 3, 10, 123)
const FACTS = { kind: 'cpu', extension: 'cpuprofile', at: AT, appName: 'shop', pid: 412, sequence: 7 }

test('a name holds kind, application, time and process', () => {
  assert.equal(createFileName(FACTS), 'cpu-shop-20261120t120310123z-412-0007.cpuprofile')
})

test('a name is read back, also when kind and extension have several words', () => {
  const several = { ...FACTS, kind: 'heap-snapshot', extension: 'heapsnapshot.gz', appName: '@acme/shop-api' }
  for (const facts of [FACTS, several]) {
    const { kind, extension, at, pid } = facts
    assert.deepEqual(parseFileName(createFileName(facts)), { kind, extension, at, pid })
  }
})

test('any application name gives a name that is safe on every system', () => {
  const names = ['', '../../etc/passwd', 'CON', 'a b:c*?"<>|', 'Größe.', '日本', 'x'.repeat(500), '-rf', 'a\0b\n', '...']
  for (const appName of names) {
    const name = createFileName({ ...FACTS, appName })
    assert.match(name, /^[a-z0-9._-]{1,128}$/)
    assert.doesNotMatch(name, /^(con|nul|aux|prn|com\d|lpt\d)(\.|$)|\.$/, 'Windows keeps these names for itself')
    assert.equal(parseFileName(name)?.at, AT)
  }
})

test('names of one process sort by age', () => {
  const moments = [[AT - 1, 9], [AT, 10], [AT, 100], [AT + 86400000, 2]]
  const names = moments.map(([at, sequence]) => createFileName({ ...FACTS, at, sequence }))
  assert.deepEqual(names.toSorted(), names)
})

test('other names are not parsed', () => {
  const name = createFileName(FACTS)
  const foreign = ['', 'report.json', 'cpu-shop.cpuprofile', `${name}.412.partial`, `../${name}`, `x/${name}`, name.toUpperCase(),
    `${name}\n`, `${name}.bak`, `${name}.gz.gz`, name.replace('20261120', '20269920'), name.replace('-412-', '-0-'), `${name}.`, `cpu-${'x'.repeat(100)}${name}`]
  for (const other of foreign) assert.equal(parseFileName(other), null, other)
})

test('facts that would not come back from the name are refused', () => {
  const wrong = [{ kind: 'CPU' }, { kind: 'cpu-' }, { extension: '.cpuprofile' }, { extension: 'cpuprofile.bak' }, { at: NaN },
    { at: Infinity }, { appName: 7 }, { extension: 'x'.repeat(120) }]
  for (const fact of wrong) {
    assert.throws(() => createFileName(Object.assign({}, FACTS, fact)), { code: 'ERR_LOOPSCOPE_INVALID_OPTION' })
  }
})
