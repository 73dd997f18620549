'use strict'

const assert = require('node:assert/strict')
const { execFileSync } = require('node:child_process')
const { randomBytes } = require('node:crypto')
const fs = require('node:fs')
const path = require('node:path')
const test = require('node:test')
const { redactSnapshot } = require('../../lib/observer/heap/redaction/redact')
const { verifySnapshot } = require('../../lib/observer/heap/redaction/verify')
const { makePlanted, findSecrets } = require('./planted')
const { makeScratch } = require('../store/scratch')

const nameKey = randomBytes(32)
const planted = makePlanted()

test.after(async () => fs.rmSync((await planted).dir, { recursive: true, force: true }))

async function redacted (name, options = {}) {
  const { dir } = await planted
  const to = path.join(dir, `${name}.${JSON.stringify(options).replace(/\W/g, '')}.redacted`)
  const counts = await redactSnapshot(path.join(dir, `${name}.heapsnapshot`), to, { mode: 'values', nameKey, ...options })
  return { to, counts }
}

/** DevTools' own comparison: the newer snapshot says how plain objects are grouped. */
async function compare (before, after) {
  const { parse } = await import('heap-snapshot-toolkit')
  const [base, current] = await Promise.all([before, after].map(file => parse(fs.createReadStream(file, 'utf8'))))
  const aggregates = await base.aggregatesForDiff(await current.interfaceDefinitions())
  const rows = Object.values(await current.calculateSnapshotDiff(base.uid, aggregates))
  return rows.map(({ name, addedCount, removedCount, addedSize, removedSize }) => ({ name, addedCount, removedCount, addedSize, removedSize }))
    .filter(({ name }) => name !== '(string)').sort((a, b) => a.name < b.name ? -1 : 1)
}

test('none of 62 planted secrets is left, in plain, escaped or base64 form', async () => {
  const { dir, secrets } = await planted
  assert.equal(Object.keys(secrets).length, 62)
  assert.deepEqual(findSecrets(path.join(dir, 'before.heapsnapshot'), secrets), Object.keys(secrets), 'the original holds them all')
  assert.deepEqual(findSecrets((await redacted('before')).to, secrets), [])
})

test('the values of numbers go as well, as in the files that V8 writes near its limit', async () => {
  const { dir, secrets } = await planted
  const numbers = findSecrets(path.join(dir, 'numbers.heapsnapshot'), secrets).filter(place => /number|fraction/.test(place))
  assert.deepEqual(numbers.sort(), ['fraction', 'large number', 'number'])
  assert.deepEqual(findSecrets((await redacted('numbers')).to, secrets), [])
})

test('DevTools loads the redacted files and compares them as it does the originals', async () => {
  const { dir } = await planted
  const originals = await compare(path.join(dir, 'before.heapsnapshot'), path.join(dir, 'after.heapsnapshot'))
  const files = [await redacted('before'), await redacted('after')]
  assert.ok(originals.some(({ name, addedCount }) => name === 'Order' && addedCount === 500))
  assert.ok(originals.some(({ name, addedCount }) => name === '{x, y}' && addedCount === 300))
  assert.deepEqual(await compare(...files.map(({ to }) => to)), originals)
})

test('nodes, edges and locations stay byte for byte, and every string has its successor', async () => {
  const { dir } = await planted
  const { to, counts } = await redacted('before')
  const original = fs.readFileSync(path.join(dir, 'before.heapsnapshot'))
  const copy = fs.readFileSync(to)
  const strings = original.indexOf('"strings":')
  assert.ok(original.subarray(0, strings).equals(copy.subarray(0, strings)))
  assert.equal(counts.strings, JSON.parse(original).strings.length)
  assert.equal((await verifySnapshot(to)).strings, counts.strings)
  assert.ok(counts.values > 1000 && counts.names >= 17, JSON.stringify(counts))
})

test('strict takes names of properties that few objects have too; those that many share stay', async () => {
  const { to } = await redacted('before', { mode: 'strict' })
  const { strings } = JSON.parse(fs.readFileSync(to))
  assert.equal(strings.includes('sku'), true)
  assert.equal(strings.includes('databaseUrl'), false)
  assert.equal(JSON.parse(fs.readFileSync((await redacted('before')).to)).strings.includes('databaseUrl'), true)
})

test('pseudonyms are equal for equal values within a snapshot, not between snapshots', async () => {
  const read = async key => JSON.parse(fs.readFileSync((await redacted('before', { valueKey: key })).to)).strings
  const [key, other] = [randomBytes(32), randomBytes(32)]
  const first = await read(key)
  const pseudonyms = first.filter(text => /^\[redacted [0-9a-f]{12}\]$/.test(text))
  assert.equal(new Set(pseudonyms).size, pseudonyms.length)
  assert.deepEqual(await read(key), first)
  const others = new Set(await read(other))
  assert.ok(pseudonyms.filter(text => others.has(text)).length < 200, 'names have the same pseudonym, values have not')
})

test('the path of a script is kept, however its folders are named, if there is such a file', async t => {
  const dir = makeScratch(t)
  const release = path.join(dir, 'releases', 'k3J9xQ2bT7vLpW4zR8')
  fs.mkdirSync(release, { recursive: true })
  const [file, gone, written, to] = [path.join(release, 'app.js'), path.join(release, 'gone.js'), path.join(dir, 'written'), path.join(dir, 'redacted')]
  fs.writeFileSync(file, 'global.keep = { [process.argv[2]]: () => {} }; require("v8").writeHeapSnapshot(process.argv[3])')
  execFileSync(process.execPath, [file, gone, written])
  assert.ok(fs.readFileSync(written).includes(gone))
  await redactSnapshot(written, to, { mode: 'values', nameKey })
  assert.ok(fs.readFileSync(to).includes(file))
  assert.ok(!fs.readFileSync(to).includes(gone))
})
