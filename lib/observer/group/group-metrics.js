'use strict'

// One scrape for all processes of a group: each is asked at once and has a time limit, what they counted is kept, and what a process
// told last counts on when it does not answer, or has ended. What is of now only is of those that answered.

const { ANSWERS, readAnswer } = require('../../shared/group/answers')
const { askGroup } = require('../../shared/group/ask-group')
const { addTold, countedOf, currentOf, NOTHING_TOLD } = require('./totals')
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
 * @param {string} parts.memberId  of this process
 * @param {() => Promise<Member[]>} parts.members
 * @param {(memberId: string) => boolean} parts.isRunning  as far as the system tells
 * @param {(problem: string) => void} parts.warn  that nothing is kept
 * @param {typeof askGroup} [parts.ask]
 */
function createGroupMetrics ({ controlDir, group, memberId, members, isRunning, warn, ask = askGroup }) {
  const state = createMetricsState({ controlDir, group })

  /**
   * @param {readonly MetricsReading[]} readings
   * @param {readonly Member[]} there
   */
  function keep (readings, there) {
    const news = { readings, isThere: (/** @type {string} */ id) => isAmong(there, id) || isRunning(id) }
    try {
      return state.update(totals => addTold(totals, news))
    } catch (error) {
      warn(/** @type {Error} */ (error).message)
      return addTold(NOTHING_TOLD, news)
    }
  }

  return {
    /**
     * @param {AbortSignal} signal
     * @returns {Promise<{ contentType: string, text: string }>}
     */
    async read (signal) {
      const there = await members()
      const answers = await ask(there, READING, { signal, maxBytes: ANSWERS.metrics.maxBytes })
      const readings = answers.flatMap(answer => readingOf(answer) ?? [])
      const told = readings.filter(({ openedAtMs }) => openedAtMs !== null) // else only how long it has been stuck
      const kept = keep(told, there)
      const metrics = sumMetrics([[upOf(answers, told)], ...readings.map(({ metrics }) => currentOf(metrics)), ...countedOf(kept)])
      const { contentType = TEXT_FORMAT } = told.find(reading => reading.memberId === memberId) ?? told[0] ?? {}
      return { contentType, text: writeExposition(metrics, contentType) }
    },

    /**
     * Of this process, which closes. At once: the thread ends.
     * @param {ApplicationMetrics} metrics
     */
    keepLast (metrics) {
      keep([{ ...metrics, memberId }], [])
    },

    /** With the first process of a new deployment counting begins anew: nobody is there who has counted, or could have. */
    async forgetEnded () {
      const there = await members()
      const own = there.find(({ id }) => id === memberId)
      const isEarlier = (/** @type {Member} */ member) => member.id !== memberId && (own === undefined || isOlder(member, own))
      const told = Object.values(state.read()?.told ?? {})
      const isNoneThere = !there.some(isEarlier) && !told.some(({ memberId: id }) => isAmong(there, id) || isRunning(id))
      if (isNoneThere) state.remove()
    }
  }
}

/**
 * @param {GroupAnswer} answer
 * @returns {MetricsReading | null}
 */
function readingOf (answer) {
  const { value } = readAnswer(answer, 'metrics')
  return value === null ? null : { ...value, memberId: answer.member.id }
}

/**
 * @param {readonly GroupAnswer[]} answers
 * @param {readonly MetricsReading[]} told
 * @returns {Metric}
 */
function upOf (answers, told) {
  const ids = new Set(told.map(({ memberId }) => memberId))
  return {
    name: 'loopscope_up',
    help: 'Whether the process told its metrics for this scrape, 1 or 0',
    type: 'gauge',
    aggregator: 'min', // of containers with the same pid
    values: answers.map(({ member: { id, pid, instance } }) => ({
      labels: { pid, ...(instance !== null && { worker: instance }) },
      value: ids.has(id) ? 1 : 0
    }))
  }
}

/**
 * @param {readonly Member[]} members
 * @param {string} wanted
 */
function isAmong (members, wanted) {
  return members.some(({ id }) => id === wanted)
}

/**
 * @param {Member} left
 * @param {Member} right
 */
function isOlder (left, right) {
  return left.startedAt < right.startedAt || (left.startedAt === right.startedAt && left.id < right.id)
}

module.exports = { createGroupMetrics }
