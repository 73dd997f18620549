'use strict'

// A cgroup with a CPU quota for one test, version 1 or 2, where this process may make one.

const fs = require('node:fs')
const path = require('node:path')
const { setTimeout: sleep } = require('node:timers/promises')

const ROOT = '/sys/fs/cgroup'
const PERIOD_MICROS = 100_000

/**
 * @param {number} percent  of one CPU
 * @returns {{ procs: string } | { reason: string }} the file by which processes join it
 */
function createQuota (t, percent) {
  const isFirstVersion = fs.existsSync(`${ROOT}/cpu/cgroup.procs`)
  const folder = path.join(ROOT, isFirstVersion ? 'cpu' : '', `loopscope-test-${process.pid}`)
  try {
    if (!isFirstVersion) fs.writeFileSync(`${ROOT}/cgroup.subtree_control`, '+cpu')
    fs.mkdirSync(folder)
    t.after(() => remove(folder))
    const quotaMicros = PERIOD_MICROS * percent / 100
    if (isFirstVersion) {
      fs.writeFileSync(`${folder}/cpu.cfs_period_us`, `${PERIOD_MICROS}`)
      fs.writeFileSync(`${folder}/cpu.cfs_quota_us`, `${quotaMicros}`)
    } else {
      fs.writeFileSync(`${folder}/cpu.max`, `${quotaMicros} ${PERIOD_MICROS}`)
    }
    return { procs: `${folder}/cgroup.procs` }
  } catch (error) {
    return { reason: `no cgroup with a CPU quota can be made here: ${error.message}` }
  }
}

/** Only an empty group can be removed; whoever is still in it was put there by the test. */
async function remove (folder) {
  for (;;) {
    const pids = fs.readFileSync(`${folder}/cgroup.procs`, 'utf8').split('\n').filter(Boolean)
    if (pids.length === 0) return fs.rmdirSync(folder)
    for (const pid of pids) process.kill(Number(pid), 'SIGKILL')
    await sleep(20)
  }
}

module.exports = { createQuota }
