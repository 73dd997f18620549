'use strict'

// CPU time and wake-ups of all threads of a measured process between two questions: answers for serveAnswers().

const { countWakeUps } = require('./wake-ups')

function cpuMeter () {
  let beganAt = process.hrtime.bigint()
  let begun = process.cpuUsage()
  let wokenBefore = countWakeUps()
  return {
    begin () {
      wokenBefore = countWakeUps()
      beganAt = process.hrtime.bigint()
      begun = process.cpuUsage()
    },
    /** @returns {number} of one core */
    cpuPercent () {
      const { user, system } = process.cpuUsage(begun)
      return (user + system) * 1e3 / Number(process.hrtime.bigint() - beganAt) * 100
    },
    /** @returns {number | null} */
    wakeUpsPerSecond () {
      const woken = countWakeUps()
      return woken === null || wokenBefore === null ? null : (woken - wokenBefore) * 1e9 / Number(process.hrtime.bigint() - beganAt)
    },
    /** @returns {number} */
    cpuMicros () {
      const { user, system } = process.cpuUsage(begun)
      return user + system
    }
  }
}

module.exports = { cpuMeter }
