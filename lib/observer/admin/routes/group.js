'use strict'

// What all processes of the group say, as one answer. This process asks its own socket like those of the others, so that the answer is
// the same whoever gives it, and is there while its loop is blocked. The routes of one process only are asked: no question goes round.

const { json, text } = require('../../../shared/admin/responses')
const { createCoalescer } = require('../../../shared/base/coalescer')
const { askForGroupAnswer } = require('../../../shared/group/group-answers')
const { tellWhole } = require('../../../shared/group/processes')
const { toGroupMarkdown, toGroupText } = require('../../../shared/findings/group/show-group')
const { oneOf } = require('../parameters')

/** @import { Context, MethodRow, RouteRow, Sources } from '../router' */

/** @typedef {Parameters<typeof askForGroupAnswer>[0]} Name */

/**
 * Who asks at the same time shares the question.
 * @returns {RouteRow[]}
 */
function createGroupRoutes () {
  /** @type {Map<string, ReturnType<typeof createCoalescer>>} */
  const questions = new Map()

  /**
   * @param {Name} name
   * @param {ReturnType<Sources['group']>} group
   * @returns {Promise<any>}
   */
  function ask (name, group) {
    const question = questions.get(name) ?? createCoalescer({
      take: async () => askForGroupAnswer(name, { name: group.name, members: await group.members() })
    })
    questions.set(name, question)
    return question.share()
  }

  /**
   * @param {Name} name
   * @param {Pick<MethodRow, 'scope' | 'parameters'> & { show?: (answer: any, context: Context) => ReturnType<typeof json> }} how
   * @returns {MethodRow}
   */
  function method (name, { show = answer => json(200, answer), ...how }) {
    const handle = async (/** @type {Context} */ context) => show(await ask(name, context.sources.group()), context)
    return { ...how, cost: 'group', handle }
  }

  return [
    { name: 'group', path: '/group', title: 'the processes of the group, beside each other', methods: { GET: method('overview', { scope: 'metrics' }) } },
    {
      name: 'group-findings',
      path: '/group/findings',
      title: 'what is wrong with any process of the group: ?format=text, markdown',
      methods: { GET: method('findings', { scope: 'profile', parameters: { format: oneOf(['json', 'text', 'markdown']) }, show: showFindings }) }
    },
    {
      name: 'group-stalls',
      path: '/group/stalls',
      title: 'the last stalls of all processes of the group',
      methods: { GET: method('stalls', { scope: 'metrics' }) }
    },
    {
      name: 'group-slow-requests',
      path: '/group/slow-requests',
      title: 'the worst requests of all processes of the group',
      methods: { GET: method('slow-requests', { scope: 'metrics' }) }
    },
    {
      name: 'group-sync-calls',
      path: '/group/sync-calls',
      title: 'synchronous calls of all processes of the group',
      methods: { GET: method('sync-calls', { scope: 'metrics' }) }
    }
  ]
}

/**
 * @param {import('../../../../types/group').GroupFindings} answer
 * @param {Context} context
 */
function showFindings (answer, { parameters: { format = 'json' } }) {
  const whole = tellWhole(answer.processes)
  if (format === 'text') return text(200, toGroupText(answer, whole))
  if (format === 'markdown') return text(200, toGroupMarkdown(answer, whole), { 'Content-Type': 'text/markdown; charset=utf-8' })
  return json(200, answer)
}

module.exports = { createGroupRoutes }
