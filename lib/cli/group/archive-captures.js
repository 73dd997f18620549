'use strict'

// Captures of the processes of a group in one archive: one is taken after the other, since each stops its process, and is in the archive
// before the next one begins, so that no store has to keep them all. index.json, at its end, says who has one, and who has not and why.

const { capturesInTurn } = require('../../shared/group/group-captures')
const { namesOf } = require('../../shared/group/members')
const { Failure } = require('../failure')
const { tarArchive } = require('../output/tar-archive')
const { createClient } = require('../reach/client')
const { findMembers } = require('../reach/group')

/** @import { Invocation } from '../commands' */
/** @import { ArchiveFile } from '../output/tar-archive' */
/** @import { Member } from '../../shared/group/members' */
/** @import { MemberCapture } from '../../shared/group/group-captures' */

/** @typedef {{ kind: string, body: Record<string, any>, extension: string, withFacts: boolean }} Wanted */

/**
 * @param {Invocation} invocation  with the option group
 * @param {Wanted} wanted  withFacts: of a snapshot, for comparisons
 * @returns {Promise<import('node:stream').Readable>}
 */
async function archiveCaptures (invocation, wanted) {
  const { positionals: [target], values: { socket } } = invocation
  if (target !== undefined || socket !== undefined) {
    throw new Failure('usage', `A ${wanted.kind} of each process of --group is asked for over their sockets: neither a pid nor a URL goes with it.`)
  }
  return tarArchive(filesOf(invocation, await findMembers(invocation), wanted))
}

/**
 * @param {Invocation} invocation
 * @param {Member[]} members
 * @param {Wanted} wanted
 * @returns {AsyncGenerator<ArchiveFile>}
 */
async function * filesOf ({ values: { group }, signal, terminal }, members, { kind, body, extension, withFacts }) {
  const nameOf = namesOf(members)
  const processes = []
  for await (const one of capturesInTurn(members, { kind, body }, signal, Infinity)) {
    const { member: { id, pid, instance, startedAt } } = one
    const name = `${kind}-${nameOf(one.member)}.${extension}`
    const { files, problem } = await readFiles(one, name, { signal, withFacts })
    yield * files
    processes.push({ pid, id, instance, startedAt, file: problem === null ? name : null, problem })
    terminal.note(`${processes.length} of ${members.length}: ${pid} ${problem ?? 'done'}`)
  }
  signal.throwIfAborted()
  if (processes.every(({ file }) => file === null)) {
    throw new Failure('failed', `No process of the group ${group} made one; ${processes[0].pid}: ${processes[0].problem}.`)
  }
  const index = Buffer.from(`${JSON.stringify({ group, processes }, null, 2)}\n`)
  yield { name: 'index.json', bytes: index.length, content: index, modifiedAt: Date.now() }
}

/**
 * @param {MemberCapture} capture
 * @param {string} name
 * @param {{ signal: AbortSignal, withFacts: boolean }} how
 * @returns {Promise<{ files: ArchiveFile[], problem: string | null }>}
 */
async function readFiles ({ member: { socketPath }, capture, problem }, name, { signal, withFacts }) {
  if (problem !== null) return { files: [], problem }
  const { name: stored, bytes, to: modifiedAt } = capture.artifact
  const client = createClient({ socketPath, base: '' }, signal)
  const route = `/artifacts/${encodeURIComponent(stored)}`
  try {
    const facts = withFacts ? [await client.json(`${route}/metadata`)] : []
    const written = facts.map(one => Buffer.from(`${JSON.stringify(one, null, 2)}\n`))
    const files = written.map(content => ({ name: `${name}.json`, bytes: content.length, content, modifiedAt }))
    return { files: [...files, { name, bytes, content: await client.ask(route), modifiedAt }], problem: null }
  } catch (error) {
    signal.throwIfAborted()
    return { files: [], problem: /** @type {Error} */ (error).message }
  }
}

module.exports = { archiveCaptures }
