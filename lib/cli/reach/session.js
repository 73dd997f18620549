'use strict'

// The processes that one command started, itself and what it started, and what processor time a process has taken.

const { list, read } = require('./proc-files')

// proc_pid_stat(5), counted from the state, which follows the name in brackets.
const [SESSION, USER_TIME, SYSTEM_TIME] = [3, 11, 12]
const MS_PER_TICK = 10 // Linux tells user space 100 ticks a second, whatever it counts itself

/**
 * @param {number} leader  a process that was started as the leader of a session
 * @returns {number[]} those that live
 */
function listSession (leader) {
  return list('/proc').filter(name => /^\d+$/.test(name)).map(Number).filter(pid => readStat(pid)[SESSION] === String(leader))
}

/**
 * @param {number} pid
 * @returns {number | null} milliseconds since it was started, of all its threads; null: the system does not tell
 */
function processorMs (pid) {
  const stat = readStat(pid)
  return stat.length <= SYSTEM_TIME ? null : (Number(stat[USER_TIME]) + Number(stat[SYSTEM_TIME])) * MS_PER_TICK
}

/** @param {number} pid */
function readStat (pid) {
  const stat = read(`/proc/${pid}/stat`)
  return stat === '' ? [] : stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}

module.exports = { listSession, processorMs }
