'use strict'

// The findings of a group for people: as those of one process, with the processes that each is true of. Pure.

const { headline, toMarkdown, toText } = require('../show')
const { times } = require('../words')

/** @import { GroupFindings } from '../../../../types/group' */

const MAX_PIDS = 10

/**
 * @param {GroupFindings} answer
 * @param {string} whole  who is in it, in words
 */
function groupHeadline ({ group, observedSeconds, figures, blocked }, whole) {
  const stuck = blocked.length === 0 ? '' : `, ${times(blocked.length, 'process')} blocked now (${pidsOf(blocked.map(({ pid }) => pid))})`.replace('processs', 'processes')
  const ofAll = headline({ name: `group ${group}`, observedSeconds, figures, blockedMs: 0, isStale: false })
  return `${ofAll}${stuck}\n${whole}`
}

/** @param {readonly number[]} pids */
function pidsOf (pids) {
  const told = pids.slice(0, MAX_PIDS).join(', ')
  return `${pids.length === 1 ? 'pid' : 'pids'} ${told}${pids.length > MAX_PIDS ? ', …' : ''}`
}

/**
 * With the processes in the titles.
 * @param {GroupFindings} answer
 */
function titled ({ findings }) {
  return {
    findings: findings.map(finding => {
      const { title, id, workers: { pids, of } } = finding
      return id === 'hot-worker' ? finding : { ...finding, title: `${title.replace(/\.$/, '')}, in ${pids.length} of ${of} workers (${pidsOf(pids)})` }
    })
  }
}

/**
 * @param {GroupFindings} answer
 * @param {string} whole
 */
function toGroupText (answer, whole) {
  return toText(titled(answer), groupHeadline(answer, whole))
}

/**
 * @param {GroupFindings} answer
 * @param {string} whole
 */
function toGroupMarkdown (answer, whole) {
  return toMarkdown(titled(answer), groupHeadline(answer, whole).replace('\n', '\n\n'))
}

module.exports = { groupHeadline, titled, toGroupMarkdown, toGroupText }
