'use strict'

// CPU time of all threads of a measured process between two questions: answers for serveAnswers().

function cpuMeter () {
  let beganAt = process.hrtime.bigint()
  let begun = process.cpuUsage()
  return {
    begin () {
      beganAt = process.hrtime.bigint()
      begun = process.cpuUsage()
    },
    /** @returns {number} of one core */
    cpuPercent () {
      const { user, system } = process.cpuUsage(begun)
      return (user + system) * 1e3 / Number(process.hrtime.bigint() - beganAt) * 100
    },
    /** @returns {number} */
    cpuMicros () {
      const { user, system } = process.cpuUsage(begun)
      return user + system
    }
  }
}

module.exports = { cpuMeter }
