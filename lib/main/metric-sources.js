'use strict'

// Where the metrics of a handle are read from: the parts of the process, and the requests that handles see.

const { version } = require('../../package.json')

/** @import { Instruments } from './shared-instruments' */

/**
 * @template Requests
 * @param {Instruments} instruments
 * @param {Requests} requests
 */
function metricSources (instruments, requests) {
  const { loop, stalls, captures, syncCalls, heap, admin, egress } = instruments
  return {
    delay: loop.delay,
    iterations: loop.iterations,
    utilization: loop.utilization,
    stalls: stalls.log,
    captures: captures.counts,
    syncCalls,
    clock: { get recentMaxStalenessMs () { return instruments.clocks.clockIfUsed?.recentMaxStalenessMs ?? null } },
    threads: instruments.options.threads ? instruments.threadTotals : undefined,
    heap: { trend: () => heap.trend },
    requests,
    admin: admin.counts,
    ...(egress.isOpen && { egress: egress.counts }),
    rules: admin.rules,
    overhead: { read: () => instruments.overhead(), get observerRestarts () { return instruments.observerRestarts } },
    version
  }
}

module.exports = { metricSources }
