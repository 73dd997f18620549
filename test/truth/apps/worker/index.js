'use strict'

// Takes jobs from the process that forked it.

const { setTimeout: sleep } = require('node:timers/promises')
const { bus } = require('./jobs/bus')
const { loadJobs } = require('./jobs/jobs')

const queue = []

async function main () {
  const jobs = await loadJobs()
  setInterval(() => {
    const next = queue.shift()
    if (next !== undefined) jobs.polled(next.size)
  }, 25)

  process.on('message', async ({ job, size }) => {
    if (job === undefined) return
    if (job === 'polled') return queue.push({ size })
    if (job === 'announced') return bus.emit('announced', size)
    await sleep(2)
    await jobs[job](size)
  })
  console.log(JSON.stringify({ msg: 'listening' }))
}

main()
