'use strict'

// Stalls in a file with a large source map, and what the process took of processor time and memory, as JSON.

const fs = require('node:fs')
const { setTimeout: sleep } = require('node:timers/promises')

const STALLS = 12
const STALL_MS = 200
const PAUSE_MS = 600
const START_MS = 3000 // until the recorder records
const END_MS = 4000 // a report may wait for its map
const LOOK_MS = 20

const steps = require(process.argv[2])

/** @type {Set<string>} */
const threads = new Set()

function look () {
  if (process.platform !== 'linux') return
  for (const thread of fs.readdirSync('/proc/self/task')) {
    try {
      if (fs.readFileSync(`/proc/self/task/${thread}/comm`, 'latin1').startsWith('loopscope sourc')) threads.add(thread)
    } catch {} // it has ended
  }
}

async function main () {
  await sleep(START_MS)
  const looking = setInterval(look, LOOK_MS)
  const before = process.cpuUsage()
  for (let step = 0; step < STALLS; step++) {
    steps[step](STALL_MS)
    await sleep(PAUSE_MS)
  }
  await sleep(END_MS)
  const { user, system } = process.cpuUsage(before)
  clearInterval(looking)
  process.stdout.write(JSON.stringify({ cpuMs: (user + system) / 1e3, rssMegabytes: process.memoryUsage.rss() / 1e6, threads: threads.size }))
  process.exit() // a preload may have started threads: they are no reason to wait
}

main()
