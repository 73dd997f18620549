'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { execFile } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { promisify } = require('node:util')
const { cli } = require('../cli/cli')
const { makeScratch } = require('../store/scratch')

const DB = `exports.query = function query () { return runQuery() }
class Query { constructor (settle) { this.settle = settle } }
const running = []
async function runQuery () { await new Promise(resolve => { running.push(new Query(resolve)) }) }
`

function temporaryFolder (t) {
  const folder = makeScratch(t)
  return folder
}

/** A copy of the application with its package in a folder of its own. */
async function snapshot (t) {
  const folder = temporaryFolder(t)
  fs.mkdirSync(path.join(folder, 'node_modules/hangs-db'), { recursive: true })
  fs.writeFileSync(path.join(folder, 'node_modules/hangs-db/index.js'), DB)
  fs.copyFileSync(path.join(__dirname, 'suspended-app.js'), path.join(folder, 'app.js'))
  const file = path.join(folder, 'heap.heapsnapshot')
  await promisify(execFile)(process.execPath, ['app.js', file], { cwd: folder })
  return { folder, file }
}

/** `50 loadOrders < 4 rows < 4 iterate`, one chain a line. */
function chains ({ function: name, count, awaitedBy }) {
  return awaitedBy.length === 0 ? [`${count} ${name}`] : awaitedBy.flatMap(one => chains(one)).map(chain => `${count} ${name} < ${chain}`)
}

/** Where `name` begins in the source. */
function lineOf (name) {
  const lines = fs.readFileSync(path.join(__dirname, 'suspended-app.js'), 'utf8').split('\n')
  return lines.findIndex(line => line.startsWith(`async function ${name} `)) + 1
}

test('every suspended async function is found, with those that await it and with what it awaits', async t => {
  const { folder, file } = await snapshot(t)
  const { code, stdout, stderr } = await cli(['ps', '--from', file, '--json'], { cwd: folder })
  assert.deepEqual([code, stderr], [0, ''])
  const { suspended, stops, pid } = JSON.parse(stdout)
  const ofApp = stops.filter(({ file }) => file === 'app.js')
  const by = Object.fromEntries(ofApp.map(stop => [stop.function, stop]))
  assert.equal(pid, null)
  assert.deepEqual(chains(by.loadOrders).sort(), [
    '68 loadOrders < 3 both',
    '68 loadOrders < 4 rows < 4 iterate',
    '68 loadOrders < 5 either',
    '68 loadOrders < 50 handleOrders',
    '68 loadOrders < 6 chained'
  ])
  assert.deepEqual(chains(by.loadUser), ['30 loadUser < 30 handleUser'])
  assert.deepEqual(chains(by.withLock).sort(), ['15 withLock < 3 both', '15 withLock < 5 either'])
  assert.deepEqual(chains(by.ask), ['9 ask'])
  for (const name of ['loadOrders', 'loadUser', 'withLock', 'ask']) assert.equal(by[name].line, lineOf(name), name)
  assert.equal(by.loadOrders.awaitedBy[0].line, lineOf('handleOrders'))
  assert.deepEqual([by.loadUser.awaited, by.ask.awaited, by.withLock.awaited, by.loadOrders.awaited], ['timer', 'hangs-db', null, null])
  assert.deepEqual([by.withLock.holder.name, by.withLock.holder.file], ['Lock.queue', 'app.js'])
  assert.deepEqual([by.left ?? by.right].map(({ isCircular, count }) => [isCircular, count]), [[true, 1]])
  // 68 + 50 + 6 + 5 + 4 + 4 + 3 of orders, 60 of users, 15 with the lock, 9 and 9 that ask, 2 in a circle; of Node.js none
  assert.equal(suspended, 140 + 60 + 15 + 18 + 2)
  assert.deepEqual(ofApp.map(stop => stop.function).filter(name => ['done', 'failed', 'numbers'].includes(name)), [])
})

test('as text: the most first, below each those that await it', async t => {
  const { folder, file } = await snapshot(t)
  const { stdout } = await cli(['ps', '--from', file, '--wide'], { cwd: folder })
  const lines = stdout.split('\n')
  assert.match(lines[0], /^235 async functions are suspended/)
  assert.match(lines[1], /^COUNT +SUSPENDED +AWAITS$/)
  assert.match(lines[2], /^ +68 +loadOrders app\.js:\d+ /)
  assert.match(lines[3], /^ +50 +awaited by handleOrders app\.js:\d+$/)
  assert.match(stdout, /\n +30 +loadUser app\.js:\d+ +timer\n/)
  assert.match(stdout, /\n +15 +withLock app\.js:\d+ +Lock\.queue app\.js:\d+\n/)
  assert.match(stdout, /\n +9 +ask app\.js:\d+ +hangs-db\n/)
  assert.match(stdout, /\n +1 +(left|right) app\.js:\d+ +itself, through those that await it\n/)
})

test('a file that is no snapshot, and a file together with a process, are refused', async t => {
  const folder = temporaryFolder(t)
  const file = path.join(folder, 'other.heapsnapshot')
  fs.writeFileSync(file, '{}')
  assert.equal((await cli(['ps', '--from', file], { cwd: folder })).code, 1)
  const both = await cli(['ps', '1', '--from', file], { cwd: folder })
  assert.deepEqual([both.code, /--from cannot be combined/.test(both.stderr)], [2, true])
})
