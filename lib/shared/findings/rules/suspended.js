'use strict'

// The whole process stood still: stopped, frozen with its container, or with its machine.

const { makeFinding } = require('../finding')
const { observedMsOf, sumStalls } = require('../readings')
const { duration, times } = require('../words')

/** @import { Rule } from '../finding' */

/** @type {Rule} */
module.exports = {
  ids: ['suspended'],
  explains: ['slow-elsewhere'],
  find (readings) {
    const { count, ms, longestMs } = sumStalls(readings, ['suspended'])
    if (count === 0) return []
    return [makeFinding(readings, {
      id: 'suspended',
      title: `The whole process was suspended ${times(count, 'time')}, for ${duration(ms)} in all.`,
      lostMs: ms,
      since: Math.min(...readings.stalls.filter(({ cause }) => cause === 'suspended').map(({ at }) => at)),
      what: `In the last ${duration(observedMsOf(readings))} no thread of it ran for up to ${duration(longestMs)}, though none stood in line for a processor.`,
      why: 'something stopped it from outside: SIGSTOP or a debugger, a frozen container (docker pause, checkpoints), a paused or migrated virtual machine',
      instead: 'nothing in the code: look at who stops it, at the host\'s and the orchestrator\'s events of that moment',
      evidence: { count, suspendedMs: ms, longestMs },
      next: [`npx loopscope stalls ${readings.pid}`]
    })]
  }
}
