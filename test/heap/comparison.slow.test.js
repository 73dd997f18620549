'use strict'

const assert = require('node:assert/strict')
const { execFile } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const test = require('node:test')
const { promisify } = require('node:util')
const { compareFiles } = require('../../lib/heap-diff/comparison/compare-files')
const { encodeBaseline } = require('../../lib/heap-diff/comparison/baseline')
const { loadBaseSnapshot } = require('../../lib/heap-diff/comparison/load-snapshots')
const { makeDirectory } = require('../store/scratch')
const { writtenBy } = require('./snapshots')

const OBJECTS = 1000

/** Objects come, go and grow: node -e SCRIPT folder */
const SCRIPT = `
const v8 = require('node:v8')
const folder = process.argv[1]
class Entry { constructor () { this.data = [1] } }
class Gone {}
globalThis.kept = { entries: [], gone: Array.from({ length: ${OBJECTS} }, () => new Gone()), table: new Map(), log: [] }
const write = name => v8.writeHeapSnapshot(folder + '/' + name + '.heapsnapshot')
const work = () => {
  for (let at = 0; at < ${OBJECTS}; at++) {
    kept.entries.push(new Entry())
    kept.log.push(at)
    kept.table.set(kept.table.size, at)
  }
}
work()
write('first')
work()
kept.gone.length = 0
write('second')
if (process.argv[2] === 'renumber') {
  const { Session } = require('node:inspector')
  const session = new Session()
  session.connect()
  session.post('HeapProfiler.enable')
  session.disconnect()
  globalThis.more = Array.from({ length: 5000 }, (_, at) => at % 2 ? { at } : [at])
  write('renumbered')
}
`

const folder = makeDirectory()
const other = makeDirectory()
const written = Promise.all([[folder, 'renumber'], [other, '']].map(args => promisify(execFile)(process.execPath, ['-e', SCRIPT, ...args])))
const file = (name, of = folder) => path.join(of, `${name}.heapsnapshot`)

test.before(() => written)
test.after(() => { for (const made of [folder, other]) fs.rmSync(made, { recursive: true, force: true }) })

test('shows what is new, what is gone, and what grew', async () => {
  const { classes, balance, incomparable } = await compareFiles([file('first'), file('second')])
  assert.equal(incomparable, null)
  const of = name => classes.find(row => row.name === name)
  assert.deepEqual([of('Entry').newCount, of('Entry').deletedCount], [OBJECTS, 0])
  assert.deepEqual([of('Gone').newCount, of('Gone').deletedCount, of('Gone').allocatedBytes], [0, OBJECTS, 0])
  assert.ok(of('Gone').freedBytes > 0 && of('Gone').retainedDeltaBytes === -of('Gone').freedBytes)
  assert.ok(of('Map').grownCount >= 1 && of('Map').grownBytes > OBJECTS * 8, 'the table of the Map')
  assert.ok(of('Array').grownCount >= 1 && of('Array').grownBytes > OBJECTS * 4, 'the log')
  assert.ok(of('Entry').retainedDeltaBytes > of('Entry').allocatedBytes)
  assert.equal(balance.sizeDeltaBytes + balance.survivorGrowthBytes + balance.otherBytes, balance.heapDeltaBytes)
  assert.ok(balance.survivorGrowthBytes > OBJECTS * 12)
})

test('an index stands in for the older snapshot, and holds none of its strings', async () => {
  const base = await loadBaseSnapshot(file('first'), {})
  const index = path.join(folder, 'first.heapindex')
  fs.writeFileSync(index, encodeBaseline(base.baseline, base.facts))
  const strip = ({ snapshots, ...report }) => report
  assert.deepEqual(strip(await compareFiles([index, file('second')])), strip(await compareFiles([file('first'), file('second')])))
  assert.ok(fs.statSync(index).size < fs.statSync(file('first')).size / 5)
  const { baseline } = await loadBaseSnapshot(index, {})
  const text = JSON.stringify([baseline.classes, baseline.shapes])
  assert.ok(text.includes('Entry') && !text.includes('entries') && !text.includes(process.execPath))
})

test('an index that was changed is refused', async () => {
  const base = await loadBaseSnapshot(file('first'), {})
  const bytes = encodeBaseline(base.baseline, base.facts)
  const index = path.join(folder, 'changed.heapindex')
  for (const broken of [bytes.subarray(0, -20), Buffer.concat([bytes.subarray(0, 22), Buffer.from('junk')]), flip(bytes, bytes.length - 40)]) {
    fs.writeFileSync(index, broken)
    await assert.rejects(compareFiles([index, file('second')]), { code: 'ERR_LOOPSCOPE_INVALID_SNAPSHOT' })
  }
})

function flip (bytes, at) {
  const changed = Buffer.from(bytes)
  changed[at] ^= 255
  return changed
}

test('objects that were renumbered are not compared one by one', async () => {
  const { incomparable, classes, suspects } = await compareFiles([file('first'), file('renumbered')])
  assert.match(incomparable, /are objects of another class/)
  assert.deepEqual(suspects, [])
  assert.equal(classes.find(({ name }) => name === 'Entry').newCount, OBJECTS, 'the totals still say')
})

test('nor are two processes, two starts or two versions, when the facts beside the files say so', async () => {
  const facts = { pid: 12, startedAt: 1000, nodeVersion: 'v22.1.0', canaryIds: [11, 13] }
  const verdict = async after => {
    fs.writeFileSync(`${file('first')}.json`, JSON.stringify(facts))
    fs.writeFileSync(`${file('second')}.json`, JSON.stringify({ ...facts, ...after }))
    return (await compareFiles([file('first'), file('second')])).incomparable
  }
  assert.equal(await verdict({}), null)
  assert.match(await verdict({ pid: 13 }), /two processes, 12 and 13/)
  assert.match(await verdict({ startedAt: 2000 }), /was restarted/)
  assert.match(await verdict({ nodeVersion: 'v24.0.0' }), /v22\.1\.0 and v24\.0\.0/)
  assert.match(await verdict({ canaryIds: [15, 17] }), /renumbered/)
  for (const name of ['first', 'second']) fs.rmSync(`${file(name)}.json`)
})

test('another run of the same program is noticed without facts beside the files, or shows the same objects', async () => {
  const { incomparable, balance } = await compareFiles([file('first'), file('second', other)])
  assert.ok(incomparable !== null || balance.sizeDeltaBytes + balance.survivorGrowthBytes + balance.otherBytes === balance.heapDeltaBytes)
})

test('the classic view has no interfaces and gives nobody the sizes of others', async () => {
  const classic = await compareFiles([file('first'), file('second')], { isClassic: true })
  assert.ok(!classic.classes.some(({ name }) => name.startsWith('{')))
  const arrays = classes => classes.find(({ name }) => name === '(array)')?.allocatedBytes ?? 0
  const { classes } = await compareFiles([file('first'), file('second')])
  assert.ok(arrays(classic.classes) > arrays(classes) + OBJECTS * 4, 'the tables of Maps and Arrays stand for themselves')
  assert.equal(classic.balance.sizeDeltaBytes + classic.balance.survivorGrowthBytes + classic.balance.otherBytes, classic.balance.heapDeltaBytes)
})

test('an index is of one view, and no other can be compared with it', async () => {
  const base = await loadBaseSnapshot(file('first'), {})
  const index = path.join(folder, 'view.heapindex')
  fs.writeFileSync(index, encodeBaseline(base.baseline, base.facts))
  await assert.rejects(compareFiles([index, file('second')], { isClassic: true }), { code: 'ERR_LOOPSCOPE_INVALID_SNAPSHOT', message: /use the snapshot itself/ })
})

test('one file, or four, are refused', async () => {
  await assert.rejects(compareFiles([file('first')]), { code: 'ERR_LOOPSCOPE_INVALID_OPTION' })
  await assert.rejects(compareFiles(Array(4).fill(file('first'))), { code: 'ERR_LOOPSCOPE_INVALID_OPTION' })
  await assert.rejects(compareFiles([file('none'), file('first')]), { code: 'ENOENT' })
})

test('a redacted pair compares as the original does, but for strings', async t => {
  const { redactSnapshot } = require('../../lib/observer/heap/redaction/redact')
  const nameKey = Buffer.alloc(32, 7)
  const redacted = await Promise.all(['first', 'second'].map(async name => {
    const to = path.join(folder, `${name}.redacted.heapsnapshot`)
    await redactSnapshot(file(name), to, { mode: 'values', nameKey })
    return to
  }))
  const strip = ({ classes, balance }) => ({ balance, classes: classes.filter(({ name }) => !name.includes('string')) })
  assert.deepEqual(strip(await compareFiles(redacted)), strip(await compareFiles([file('first'), file('second')])))
})

test('a server under load: the sum of all rows is the growth of the heap', async t => {
  const varied = await writtenBy('varied-app.js')
  t.after(() => fs.rmSync(varied, { recursive: true, force: true }))
  const { classes, balance } = await compareFiles([path.join(varied, 'before.heapsnapshot'), path.join(varied, 'after.heapsnapshot')])
  const sum = classes.reduce((total, { allocatedBytes, freedBytes, grownBytes }) => total + allocatedBytes - freedBytes + grownBytes, 0)
  assert.equal(sum + balance.otherBytes, balance.heapDeltaBytes)
  assert.ok(classes.some(({ isNoise }) => isNoise) && classes.some(({ isNoise }) => !isNoise))
})

/** Nobody names the string that makes the file long. */
function writeLong (name) {
  const long = path.join(folder, `long ${name}.heapsnapshot`)
  fs.writeFileSync(long, fs.readFileSync(file(name), 'latin1').replace(/\]\s*\}\s*$/, `,"${'x'.repeat(20e6)}"]}`), 'latin1')
  return long
}

const isTwoAtATime = os.availableParallelism() > 1

test('reads the older of two large files in a thread of its own, with the same result', async () => {
  const long = writeLong('first')
  const index = path.join(folder, 'beside.heapindex')
  const base = await loadBaseSnapshot(file('first'))
  fs.writeFileSync(index, encodeBaseline(base.baseline, base.facts))
  for (const earlier of [[long], [index, long]]) {
    const files = [...earlier, file('second')]
    const read = new Set()
    const together = await compareFiles(files, { isParallel: true, onProgress: progress => read.add(progress.file) })
    assert.deepEqual([...read], isTwoAtATime ? [file('second')] : [long, file('second')])
    assert.deepEqual(together, await compareFiles(files))
  }
})

test('reading two files at a time ends with the first that cannot be read, and when it is given up', async () => {
  const long = writeLong('first')
  const broken = path.join(folder, 'broken.heapsnapshot')
  fs.writeFileSync(broken, fs.readFileSync(long).subarray(0, -100))
  for (const files of [[broken, file('second')], [long, broken]]) {
    await assert.rejects(compareFiles(files, { isParallel: true }), { code: 'ERR_LOOPSCOPE_INVALID_SNAPSHOT', message: /breaks off/ })
  }
  const giveUp = new AbortController()
  const compared = compareFiles([long, file('second')], { isParallel: true, onProgress: () => giveUp.abort(new Error('enough')), signal: giveUp.signal })
  await assert.rejects(compared, /enough|abort/)
})
