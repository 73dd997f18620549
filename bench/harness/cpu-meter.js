'use strict'

// CPU time and wake-ups of all threads of a measured process between two questions: answers for serveAnswers().

const { performance } = require('node:perf_hooks')
const { readThreads } = require('./wake-ups')

/** @typedef {{ name: string, percent: number, wakeUps: number }} ThreadShare  of one core; a second */

function cpuMeter () {
  let beganAt = process.hrtime.bigint()
  let begun = process.cpuUsage()
  let threadsBefore = readThreads()
  let loopBefore = performance.eventLoopUtilization()
  const seconds = () => Number(process.hrtime.bigint() - beganAt) / 1e9

  /** @returns {ThreadShare[] | null} */
  function threads () {
    const [before, now] = [threadsBefore, readThreads()]
    if (before === null || now === null) return null
    return [...now].map(([name, { cpuMs, wakeUps }]) => {
      const began = before.get(name) ?? { cpuMs: 0, wakeUps: 0 }
      return { name, percent: (cpuMs - began.cpuMs) / seconds() / 10, wakeUps: (wakeUps - began.wakeUps) / seconds() }
    })
  }

  return {
    begin () {
      threadsBefore = readThreads()
      beganAt = process.hrtime.bigint()
      begun = process.cpuUsage()
      loopBefore = performance.eventLoopUtilization()
    },
    /** @returns {number} of one core */
    cpuPercent () {
      const { user, system } = process.cpuUsage(begun)
      return (user + system) / 1e4 / seconds()
    },
    threads,
    /** @returns {number} as Node itself reads it */
    utilization: () => performance.eventLoopUtilization(loopBefore).utilization,
    /** @returns {number | null} */
    wakeUpsPerSecond: () => threads()?.reduce((sum, { wakeUps }) => sum + wakeUps, 0) ?? null,
    /** @returns {number} */
    cpuMicros () {
      const { user, system } = process.cpuUsage(begun)
      return user + system
    }
  }
}

module.exports = { cpuMeter }
