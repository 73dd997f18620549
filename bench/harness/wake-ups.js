'use strict'

// How often the threads of this process were woken, and what processor time they had: each wait that ends is a voluntary switch. On a full
// machine a wake-up costs others more than what is done in it.

const fs = require('node:fs')

const TASKS = '/proc/self/task'
const NS_PER_MS = 1e6

// As Node, V8 and we name them; the system keeps 15 characters. Node 20 and 22 name few or none.
const NAMES = new Map(Object.entries({
  'loopscope-obser': 'observer',
  'v8:ProfEvntProc': 'V8\'s sampler',
  V8Worker: 'V8\'s compilers and collectors',
  'libuv-worker': 'libuv\'s pool'
}))

/** @typedef {Map<string, { cpuMs: number, wakeUps: number }>} ThreadReading  by what the threads do */

/** @returns {ThreadReading | null} since the process began, of the threads that are alive; null where the system does not tell */
function readThreads () {
  try {
    /** @type {ThreadReading} */
    const threads = new Map()
    for (const task of fs.readdirSync(TASKS)) {
      const [name, schedstat, status] = ['comm', 'schedstat', 'status'].map(file => fs.readFileSync(`${TASKS}/${task}/${file}`, 'utf8').trim())
      const known = Number(task) === process.pid ? 'main thread' : NAMES.get(name) ?? 'others, or without a name'
      const { cpuMs, wakeUps } = threads.get(known) ?? { cpuMs: 0, wakeUps: 0 }
      threads.set(known, {
        cpuMs: cpuMs + Number(schedstat.split(' ', 1)[0]) / NS_PER_MS,
        wakeUps: wakeUps + Number(/^voluntary_ctxt_switches:\s*(\d+)/m.exec(status)?.[1])
      })
    }
    return threads
  } catch {
    return null
  }
}

module.exports = { readThreads }
