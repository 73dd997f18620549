'use strict'

// Images are drawn by two worker threads, for more requests than they can serve, with little CPU time, as on a busy machine.

const { Worker } = require('node:worker_threads')

const DRAW = `
  const { parentPort } = require('node:worker_threads')
  const never = new Int32Array(new SharedArrayBuffer(4))
  parentPort.on('message', id => {
    const end = performance.now() + 40
    while (performance.now() < end);
    Atomics.wait(never, 0, 0, 140)
    parentPort.postMessage(id)
  })`

const waiting = new Map()
const workers = [1, 2].map(() => {
  const worker = new Worker(DRAW, { eval: true })
  worker.on('message', id => {
    waiting.get(id)()
    waiting.delete(id)
  })
  return worker
})
let last = 0

function draw () {
  return new Promise(resolve => {
    const id = ++last
    waiting.set(id, resolve)
    workers[id % workers.length].postMessage(id)
  })
}

module.exports = async function image (request, response) {
  await draw() // the wait
  response.end('<svg/>')
}
