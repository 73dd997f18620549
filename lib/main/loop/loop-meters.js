'use strict'

// What is measured of the loop on its own thread, made together: how late it was, how long its turns took, how busy it was.

const { createDelayHistogram } = require('./delay-histogram')
const { summarizeDelay } = require('./delay-summary')
const { createIterations } = require('./iterations')
const { createLoopTime } = require('./loop-time')
const { createUtilization } = require('./utilization')

/** @param {{ periodMs: number }} parts  of the heartbeat */
function createLoopMeters (parts) {
  return new LoopMeters(parts)
}

class LoopMeters {
  delay
  iterations = createIterations()
  time = createLoopTime()
  utilization = createUtilization({ eventLoopUtilization: () => this.time.read() })

  /** @param {Parameters<typeof createLoopMeters>[0]} parts */
  constructor ({ periodMs }) {
    this.delay = createDelayHistogram({ periodMs })
  }

  start () {
    this.iterations.start()
    this.utilization.start()
  }

  stop () {
    this.utilization.stop()
    this.iterations.stop()
  }

  /**
   * @param {number} delayMs  of a tick
   * @param {number} periods  of the fast heartbeat that it stands for
   */
  record (delayMs, periods) {
    this.delay.record(delayMs)
    // A slow tick stands for fast ones that would have been on time.
    if (periods > 1) this.delay.addOnTime(periods - 1)
  }

  summary () {
    return summarizeDelay(this)
  }
}

module.exports = { createLoopMeters }
