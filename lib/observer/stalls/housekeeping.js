'use strict'

// What the observer does every second or so, done when the stall watch is awake anyway: a wake-up of an idle process costs more than what
// is done in it, and each timer of its own would be one more.

const { guarded } = require('../../shared/base/guard')
const { monotonicMs } = require('../../shared/base/monotonic')

/** @import { Every } from '../../shared/base/every' */

/** @param {{ now?: () => number }} [parts] */
function createHousekeeping ({ now = monotonicMs } = {}) {
  /** @type {Set<{ ms: number, dueMs: number, work: () => void }>} */
  const tasks = new Set()
  let soonestMs = Infinity

  return {
    /** As often as it says in the mean, give or take the time between two wake-ups. @type {Every} */
    every (ms, work) {
      const task = { ms, dueMs: now() + ms, work: guarded(work) }
      tasks.add(task)
      soonestMs = Math.min(soonestMs, task.dueMs)
      return () => { tasks.delete(task) }
    },

    /** To be called at each wake-up. */
    turn () {
      const nowMs = now()
      if (nowMs < soonestMs) return
      for (const task of tasks) {
        if (nowMs < task.dueMs) continue
        // What was missed, in a suspended process, is not made up for.
        task.dueMs = Math.max(task.dueMs + task.ms, nowMs + task.ms / 2)
        task.work()
      }
      soonestMs = Math.min(...[...tasks].map(({ dueMs }) => dueMs))
    }
  }
}

module.exports = { createHousekeeping }
