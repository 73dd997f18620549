'use strict'

// The processes of a group beside each other. Pure.

/** @import { Member } from '../members' */
/** @import { Part } from '../group-answers' */
/** @import { GroupOverview } from '../../../../types/group' */

/**
 * @param {readonly Part[]} parts
 * @param {readonly Member[]} members
 * @returns {Pick<GroupOverview, 'members'>}
 */
function mergeOverview (parts, members) {
  return {
    members: members.map(({ pid, id, appName, instance, startedAt }) => {
      const part = parts.find(({ member }) => member.id === id)
      const { answer, loop } = part ?? { answer: null, loop: null }
      return {
        pid,
        id,
        appName,
        instance,
        startedAt,
        up: part !== undefined,
        blockedMs: answer?.blockedMs ?? null,
        delay: loop?.delay ?? null,
        rssBytes: loop?.memory?.rssBytes ?? null,
        heapUsedBytes: loop?.memory?.heapUsedBytes ?? null,
        stalls: answer?.totals.count ?? null,
        stalledMs: answer?.totals.blockedMs ?? null
      }
    })
  }
}

module.exports = { mergeOverview }
