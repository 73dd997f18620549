'use strict'

// Requests wait for two worker threads that are always at work; the loop has nothing to do.
const { Worker } = require('node:worker_threads')

const WORK = `
const { parentPort } = require('node:worker_threads')
parentPort.on('message', () => {
  const end = performance.now() + 300
  while (performance.now() < end);
  parentPort.postMessage('done')
})`

const workers = [1, 2].map(() => new Worker(WORK, { eval: true }))
const waiting = [[], []]
workers.forEach((worker, index) => worker.on('message', () => waiting[index].shift().end('ok')))
let asked = 0

module.exports = (request, response) => {
  const index = asked++ % workers.length
  waiting[index].push(response)
  workers[index].postMessage('work')
}
