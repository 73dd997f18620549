'use strict'

// A process in which a known number of async functions hang, each for a reason of its own. It writes a heap snapshot to the file that is its argument.

const fs = require('node:fs')
const { writeHeapSnapshot } = require('node:v8')
const { setTimeout: sleep } = require('node:timers/promises')
const { query } = require('hangs-db') // made by the test

class Lock {
  constructor () { this.queue = [] }
  acquire () { return new Promise(resolve => { this.queue.push(resolve) }) }
}

const lock = new Lock()
const unresolved = []

async function loadOrders () {
  await new Promise(resolve => { unresolved.push(resolve) })
}
async function handleOrders () {
  await loadOrders()
}
async function chained () {
  await loadOrders().then(orders => orders)
}
async function loadUser () {
  await sleep(1e6)
}
async function handleUser () {
  await loadUser()
}
async function withLock () {
  await lock.acquire()
}
async function both () {
  await Promise.all([loadOrders(), withLock()])
}
async function either () {
  await Promise.race([loadOrders(), withLock()])
}
async function * rows () {
  yield 1
  await loadOrders()
}
async function iterate () {
  for await (const row of rows()) unresolved.push(row)
}
async function ask () {
  await query('SELECT 1')
}
// Two that wait for each other.
const circle = {}
async function left () {
  await null
  await circle.second
}
async function right (first) {
  await first
}
// Not suspended: finished, failed, not awaited by anything, a generator that is no async function.
async function done () {
  await null
}
async function failed () {
  await null
  throw new Error('as planned')
}
function * numbers () {
  yield 1
}

const kept = [numbers(), done(), failed().catch(() => {})]
kept[0].next()
for (let count = 0; count < 50; count++) handleOrders()
for (let count = 0; count < 30; count++) handleUser()
for (let count = 0; count < 7; count++) kept.push(withLock())
for (let count = 0; count < 6; count++) kept.push(chained())
for (let count = 0; count < 5; count++) kept.push(either())
for (let count = 0; count < 4; count++) kept.push(iterate())
for (let count = 0; count < 3; count++) kept.push(both())
for (let count = 0; count < 9; count++) kept.push(ask())
circle.first = left()
circle.second = right(circle.first)

setImmediate(() => {
  writeHeapSnapshot(`${process.argv[2]}.partial`)
  fs.renameSync(`${process.argv[2]}.partial`, process.argv[2])
  process.exit(kept.length === 0 ? 1 : 0)
})
