'use strict'

// CPU profiles of the processes of a group, each as a file of its own, in one archive; index.json in it says who answered, and who did not.

const { askGroup } = require('../../shared/group/ask-group')
const { namesOf } = require('../../shared/group/members')
const { Failure } = require('../failure')
const { tarArchive } = require('../output/tar-archive')
const { findMembers } = require('../reach/group')

/** @import { GroupAnswer } from '../../shared/group/ask-group' */
/** @import { Invocation } from '../commands' */
/** @import { ArchiveFile } from '../output/tar-archive' */

/**
 * @param {Invocation} invocation  with the option group
 * @param {object} wanted
 * @param {string} wanted.path  that each is asked for
 * @param {number} wanted.withinMs
 * @param {string} wanted.kind
 * @param {string} wanted.extension
 */
async function archiveProfiles (invocation, { path, withinMs, kind, extension }) {
  const { positionals: [target], values: { group, socket }, signal } = invocation
  if (target !== undefined || socket !== undefined) throw new Failure('usage', '--each asks the processes of --group over their sockets: neither a pid nor a URL goes with it.')
  const members = await findMembers(invocation)
  const answers = await askGroup(members, path, { withinMs, signal })
  signal.throwIfAborted()
  const nameOf = namesOf(members)
  const files = answers.map(answer => ({ answer, name: answer.problem === null ? `${kind}-${nameOf(answer.member)}.${extension}` : null }))
  if (files.every(({ name }) => name === null)) throw nobody(group, answers)
  return { archive: tarArchive(filesOf(group, files, Date.now())), answered: files.filter(({ name }) => name !== null).length, all: files.length }
}

/**
 * @param {string} group
 * @param {{ answer: GroupAnswer, name: string | null }[]} files
 * @param {number} modifiedAt
 * @returns {AsyncGenerator<ArchiveFile>}
 */
async function * filesOf (group, files, modifiedAt) {
  const processes = files.map(({ answer: { member: { id, pid, instance, startedAt }, problem }, name }) => ({ pid, id, instance, startedAt, file: name, problem }))
  const index = Buffer.from(`${JSON.stringify({ group, processes }, null, 2)}\n`)
  yield { name: 'index.json', bytes: index.length, content: index, modifiedAt }
  for (const { answer: { body }, name } of files) if (name !== null) yield { name, bytes: body.length, content: body, modifiedAt }
}

/**
 * @param {string} group
 * @param {readonly GroupAnswer[]} answers
 */
function nobody (group, answers) {
  const [{ member: { pid }, problem }] = answers
  return new Failure('unreachable', `None of the ${answers.length} processes of the group ${group} has a profile; ${pid}: ${problem}.`)
}

module.exports = { archiveProfiles }
