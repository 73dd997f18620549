'use strict'

// How often the threads of this process were woken: each wait that ends is a voluntary switch. On a full machine a wake-up costs
// others more than what is done in it.

const fs = require('node:fs')

const TASKS = '/proc/self/task'

/** @returns {number | null} since the process began, of the threads that are alive; null where the system does not tell */
function countWakeUps () {
  try {
    return fs.readdirSync(TASKS).reduce((sum, task) => {
      const status = fs.readFileSync(`${TASKS}/${task}/status`, 'utf8')
      return sum + Number(/^voluntary_ctxt_switches:\s*(\d+)/m.exec(status)?.[1])
    }, 0)
  } catch {
    return null
  }
}

module.exports = { countWakeUps }
