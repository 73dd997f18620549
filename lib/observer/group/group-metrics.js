'use strict'

// One scrape for all processes of a group: queries all at once with a time limit, and stores their counters; the last values of a process still count
// when it does not answer or has ended. Current values come only from those that answered.

const { ANSWERS, readAnswer } = require('../../shared/group/answers')
const { askGroup } = require('../../shared/group/ask-group')
const { addReports, countedOf, currentOf, NO_REPORTS } = require('./totals')
const { writeExposition } = require('../../shared/group/exposition')
const { sumMetrics } = require('./sum-metrics')
const { createMetricsState } = require('./metrics-state')

/** @import { GroupAnswer } from '../../shared/group/ask-group' */
/** @import { Member } from '../../shared/group/members' */
/** @import { Metric } from './sum-metrics' */
/** @import { ApplicationMetrics, MetricsReading } from './totals' */

const READING = '/metrics?format=json'
const TEXT_FORMAT = 'text/plain; version=0.0.4; charset=utf-8'

/**
 * @param {object} parts
 * @param {string} parts.controlDir
 * @param {string} parts.group
 * @param {string} parts.memberId  id of this process
 * @param {() => Promise<Member[]>} parts.members
 * @param {(memberId: string) => boolean} parts.isRunning  as far as the system reports it
 * @param {(problem: string) => void} parts.warn  called if nothing can be stored
 * @param {typeof askGroup} [parts.ask]
 */
function createGroupMetrics ({ controlDir, group, memberId, members, isRunning, warn, ask = askGroup }) {
  const state = createMetricsState({ controlDir, group })

  /** @param {readonly MetricsReading[]} readings @param {readonly Member[]} there */
  function keep (readings, there) {
    const news = { readings, isThere: (/** @type {string} */ id) => isAmong(there, id) || isRunning(id) }
    try {
      return state.update(totals => addReports(totals, news))
    } catch (error) {
      warn(/** @type {Error} */ (error).message)
      return addReports(NO_REPORTS, news)
    }
  }

  return {
    /** @param {AbortSignal} signal @returns {Promise<{ contentType: string, text: string }>} */
    async read (signal) {
      const there = await members()
      const answers = await ask(there, READING, { signal, maxBytes: ANSWERS.metrics.maxBytes })
      const readings = answers.flatMap(answer => readingOf(answer) ?? [])
      const counted = readings.filter(({ openedAtMs }) => openedAtMs !== null) // otherwise it contains only how long the process has been blocked
      const kept = keep(counted, there)
      const metrics = sumMetrics([[upOf(answers, counted)], ...readings.map(({ metrics }) => currentOf(metrics)), ...countedOf(kept)])
      const { contentType = TEXT_FORMAT } = counted.find(reading => reading.memberId === memberId) ?? counted[0] ?? {}
      return { contentType, text: writeExposition(metrics, contentType) }
    },

    /**
     * Stores this process's metrics as it closes. Synchronous, because the thread ends.
     * @param {ApplicationMetrics} metrics
     */
    keepLast (metrics) {
      keep([{ ...metrics, memberId }], [])
    },

    /** With the first process of a new deployment counting starts again: no process is left that has counted, or could have. */
    async forgetEnded () {
      const there = await members()
      const own = there.find(({ id }) => id === memberId)
      const isEarlier = (/** @type {Member} */ member) => member.id !== memberId && (own === undefined || isOlder(member, own))
      const reports = Object.values(state.read()?.reports ?? {})
      const isNoneThere = !there.some(isEarlier) && !reports.some(({ memberId: id }) => isAmong(there, id) || isRunning(id))
      if (isNoneThere) state.remove()
    }
  }
}

/** @param {GroupAnswer} answer @returns {MetricsReading | null} */
function readingOf (answer) {
  const { value } = readAnswer(answer, 'metrics')
  return value === null ? null : { ...value, memberId: answer.member.id }
}

/** @param {readonly GroupAnswer[]} answers @param {readonly MetricsReading[]} counted @returns {Metric} */
function upOf (answers, counted) {
  const ids = new Set(counted.map(({ memberId }) => memberId))
  return {
    name: 'loopscope_up',
    help: 'Whether the process returned its metrics for this scrape, 1 or 0',
    type: 'gauge',
    aggregator: 'min', // for containers with the same pid
    values: answers.map(({ member: { id, pid, instance } }) => ({
      labels: { pid, ...(instance !== null && { worker: instance }) },
      value: ids.has(id) ? 1 : 0
    }))
  }
}

/** @param {readonly Member[]} members @param {string} wanted */
function isAmong (members, wanted) {
  return members.some(({ id }) => id === wanted)
}

/** @param {Member} left @param {Member} right */
function isOlder (left, right) {
  return left.startedAt < right.startedAt || (left.startedAt === right.startedAt && left.id < right.id)
}

module.exports = { createGroupMetrics }
