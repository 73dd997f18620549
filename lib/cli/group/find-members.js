'use strict'

// Who is asked with `--group shop`: which processes that is, and which groups there are where it is none.

const { listMembers, problemsOf } = require('../../shared/group/members')
const { Failure } = require('../failure')
const { controlDirectories } = require('../reach/control-sockets')

/** @import { Invocation } from '../commands' */
/** @import { Member } from '../../shared/group/members' */

/** @type {import('../commands').CommandOption} */
const GROUP_OPTION = Object.freeze({ type: 'string', meaning: 'all processes of that group on this host, as one answer' })

/**
 * @param {Pick<Invocation, 'values' | 'env' | 'terminal'>} invocation
 * @returns {Promise<Member[]>}
 */
async function findMembers ({ values: { group }, env, terminal }) {
  const { directories, users } = controlDirectories(env)
  for (const problem of problemsOf(directories, users)) terminal.note(`not looked into: ${problem}`)
  const all = await listMembers({ directories, users })
  const members = all.filter(member => member.group === group)
  if (members.length > 0) return members
  throw new Failure('notInstrumented', `There is no group ${group} of yours on this host.`, knownGroups(all))
}

/**
 * Whether the process at a URL is asked to ask its group, and not each member from here.
 * @param {Pick<Invocation, 'positionals' | 'values'>} invocation
 */
function isOneAsked ({ positionals: [target], values }) {
  if (target !== undefined && /^\d+$/.test(target)) throw new Failure('usage', 'A pid or --group, not both.')
  return target !== undefined || values.socket !== undefined
}

/** @param {readonly Member[]} all */
function knownGroups (all) {
  if (all.length === 0) return 'No process of yours can be reached. Start one with `loopscope run -- node app.js`.'
  const names = [...new Set(all.map(({ group }) => group))].sort()
  return `Groups: ${names.map(name => `${name} (${all.filter(({ group }) => group === name).length})`).join(', ')}`
}

module.exports = { GROUP_OPTION, findMembers, isOneAsked }
