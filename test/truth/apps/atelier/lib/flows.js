'use strict'

const { EventEmitter, once } = require('node:events')
const { setTimeout: sleep } = require('node:timers/promises')
const { mix } = require('./numbers')

const ROWS = Array.from({ length: 20_000 }, (_, id) => ({ id, text: `row "${id}"`, tags: ['a', 'b'] }))

function * walk (size) {
  for (let step = 0; step < size; step++) {
    let sum = 0
    for (let round = 0; round < 200; round++) sum += Math.exp(round % 7) // truth: generator
    yield sum
  }
}

function generating (size) {
  let sum = 0
  for (const step of walk(size)) sum += step
  return sum
}

async function * readPages (size) {
  for (let page = 0; page < 3; page++) {
    await sleep(1)
    yield page === 1 ? size : 1
  }
}

async function paging (size) {
  let sum = 0
  for await (const rows of readPages(size)) {
    for (let row = 0; row < rows; row++) sum += Math.acosh(row + 1) // truth: async iterator
  }
  return sum
}

async function pooling (size) {
  const queue = Array.from({ length: size }, (_, index) => index)
  await Promise.all([takeFrom(queue), takeFrom(queue)])
  return queue.length
}

async function takeFrom (queue) {
  for (let job = queue.shift(); job !== undefined; job = queue.shift()) await work(job)
}

async function work (job) {
  let sum = job
  for (let round = 0; round < 500; round++) sum += Math.atanh(round / 1000) // truth: workers of promises
  return sum
}

function ticking (size) {
  const { promise, resolve } = withResolvers()
  class Chain {
    left = size
    sum = 0
    step = () => {
      if (this.left-- === 0) return resolve(this.sum)
      for (let round = 0; round < 800; round++) this.sum += Math.log2(round + this.left) // truth: nextTick chain of a class
      process.nextTick(this.step)
    }
  }
  new Chain().step()
  return promise
}

function withResolvers () {
  const resolvers = {}
  resolvers.promise = new Promise((resolve, reject) => Object.assign(resolvers, { resolve, reject }))
  return resolvers
}

async function stringifying (size) {
  await sleep(1)
  const rows = await Promise.all(Array.from({ length: 3 }, () => rowsOf(size)))
  await null
  return JSON.stringify(rows).length // truth: stringify after three awaits
}

async function rowsOf (size) {
  const rows = []
  while (rows.length < size) rows.push(ROWS[rows.length % ROWS.length])
  return rows
}

async function emitting (size) {
  const emitter = new EventEmitter()
  emitter.on('batch', function foldBatch (count) {
    let sum = 0
    for (let index = 0; index < count; index++) sum += Math.expm1(index % 9) // truth: listener after await
    emitter.emit('done', sum)
  })
  setImmediate(() => emitter.emit('batch', size))
  const [sum] = await once(emitter, 'done')
  return sum
}

function inlining (size) {
  let mixed = 1
  for (let index = 0; index < size; index++) mixed = mix(mixed + index)
  return mixed
}

module.exports = { generating, paging, pooling, ticking, stringifying, emitting, inlining }
