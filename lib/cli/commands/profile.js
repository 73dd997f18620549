'use strict'

const { Failure } = require('../failure')
const { ROUTE_OPTION, assertSources, createSourceMapping } = require('../profile-file')
const { OUTPUT_OPTIONS, chooseFormat, nameOf, openDestination } = require('../output/destination')
const { jsonFile, tarArchive } = require('../output/tar-archive')
const { GROUP_OPTION, findMembers, connectToGroup } = require('../connect/group')
const { CONNECT_OPTIONS, connect, secondsOf } = require('../connect/connect')
const { FORMATS, SOURCES } = require('../../formats/formats')
const { DEFAULT_LAST_SECONDS, MAX_LAST_SECONDS, MAX_SECONDS } = require('../../shared/captures/kinds')
const { askGroup } = require('../../shared/group/ask-group')
const { namesOf } = require('../../shared/group/members')

/** @import { FormatName } from '../../../types/profile' */
/** @import { Command, Invocation } from '../commands' */
/** @import { ArchiveFile } from '../output/tar-archive' */
/** @import { GroupAnswer } from '../../shared/group/ask-group' */

const DEFAULT_ATTACH_SECONDS = 10
const DEFAULT_THREADS_SECONDS = 10
const ENCODING_MS = 60_000 // for minutes of a large application, on a busy machine
const EACH_MS = 10_000 // a stopped process does not delay the others' files

/** @type {Command} */
module.exports = {
  name: 'profile',
  help: 'print or save a CPU profile of the last 30 s, or of the next seconds',
  options: {
    last: { type: 'string', meaning: 'seconds to look back (default 30)' },
    seconds: { type: 'string', meaning: 'seconds to record from now on' },
    format: { type: 'string', short: 'f', meaning: `${Object.keys(FORMATS).join(', ')} (default: by the extension of the file, else text)` },
    sources: { type: 'string', meaning: `locations in the original code or in the code that runs: ${SOURCES.join(', ')} (default original for flamegraph, text)` },
    route: ROUTE_OPTION,
    threads: { type: 'boolean', meaning: `include all worker threads, from now on (default ${DEFAULT_THREADS_SECONDS} s)` },
    group: GROUP_OPTION,
    each: { type: 'boolean', meaning: 'with --group: one file per process in an archive (.tar.gz), instead of one merged profile' },
    attach: { type: 'boolean', meaning: "for a process without loopscope: open Node's inspector on 127.0.0.1 and record through it" },
    ...OUTPUT_OPTIONS,
    ...CONNECT_OPTIONS
  },
  examples: [
    'loopscope profile 1234',
    'loopscope profile 1234 --seconds 10 -o slow.html',
    'loopscope profile 1234 > before.cpuprofile',
    "loopscope profile 1234 --route 'POST /login'",
    'loopscope profile 1234 --threads',
    'loopscope profile --group shop -o shop.html',
    'loopscope profile --attach 1234 --seconds 5'
  ],
  makesFile: true,
  run
}

/** @param {Invocation} invocation */
async function run (invocation) {
  const { values } = invocation
  if (values.group !== undefined && values.attach) throw new Failure('usage', 'Pass --attach or --group, not both.')
  if (values.each) return runEach(invocation)
  const format = chooseFormat(FORMATS, invocation, 'cpuprofile')
  const destination = openDestination(invocation, { name: nameOf('cpu', FORMATS[format].extension), isText: format === 'text' })
  await destination.write(await (values.attach ? attach : ask)(invocation, format))
}

/** @param {Invocation} invocation */
async function runEach (invocation) {
  const { values, terminal } = invocation
  if (values.group === undefined) throw new Failure('usage', '--each needs --group.')
  const format = chooseFormat(FORMATS, { ...invocation, values: { ...values, format: values.format ?? 'cpuprofile' } }, 'cpuprofile')
  const destination = openDestination(invocation, { name: nameOf('cpu', 'tar.gz') })
  const { query, seconds = 0, activity } = requestFor(invocation, format)
  const progress = terminal.progress(activity, seconds)
  const request = { path: `/cpu?${query}`, withinMs: seconds * 1e3 + EACH_MS, kind: 'cpu', extension: FORMATS[format].extension }
  const { archive, answered, all } = await archiveProfiles(invocation, request).finally(() => progress.end())
  terminal.note(`${answered} of ${all} processes`)
  await destination.write(archive)
}

/**
 * An archive with one CPU profile for each process of a group; index.json lists the file of each process, or why it has none.
 * @param {Invocation} invocation
 * @param {{ path: string, withinMs: number, kind: string, extension: string }} request
 */
async function archiveProfiles (invocation, { path, withinMs, kind, extension }) {
  const { positionals: [target], values: { group, socket }, signal } = invocation
  if (target !== undefined || socket !== undefined) throw new Failure('usage', '--each queries the processes of --group over their sockets: it cannot be combined with a pid or a URL.')
  const members = await findMembers(invocation)
  const answers = await askGroup(members, path, { withinMs, signal })
  signal.throwIfAborted()
  const nameOfMember = namesOf(members)
  const files = answers.map(answer => ({ answer, name: answer.problem === null ? `${kind}-${nameOfMember(answer.member)}.${extension}` : null }))
  if (files.every(({ name }) => name === null)) throw noProfiles(group, answers)
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
  yield jsonFile('index.json', { group, processes }, modifiedAt)
  for (const { answer: { body }, name } of files) if (name !== null) yield { name, bytes: body.length, content: body, modifiedAt }
}

/** @param {string} group @param {readonly GroupAnswer[]} answers */
function noProfiles (group, answers) {
  const [{ member: { pid }, problem }] = answers
  return new Failure('unreachable', `None of the ${answers.length} processes of the group ${group} returned a profile; ${pid}: ${problem}.`)
}

/** @param {Invocation} invocation @param {FormatName} format */
function requestFor ({ values }, format) {
  const withThreads = values.threads === true
  if (withThreads) assertThreadsOptions(values)
  const seconds = secondsOf('--seconds', values.seconds, MAX_SECONDS) ?? (withThreads ? DEFAULT_THREADS_SECONDS : undefined)
  assertSources(values.sources)
  const last = secondsOf('--last', values.last, MAX_LAST_SECONDS) ?? (seconds === undefined ? DEFAULT_LAST_SECONDS : undefined)
  const query = new URLSearchParams({
    format,
    ...(values.sources !== undefined && { sources: values.sources }),
    ...(values.route !== undefined && { route: values.route }),
    ...(withThreads && { threads: '1' }),
    ...(seconds !== undefined && { seconds: String(seconds) }),
    ...(last !== undefined && { last: String(last) })
  })
  return { query, seconds, activity: seconds === undefined ? `reading the last ${last} s` : `recording ${seconds} s` }
}

/** @param {Invocation} invocation @param {FormatName} format */
async function ask (invocation, format) {
  const { query, seconds, activity } = requestFor(invocation, format)
  const isGroup = invocation.values.group !== undefined
  const client = isGroup ? await connectToGroup(invocation) : connect(invocation)
  const progress = invocation.terminal.progress(activity, seconds)
  const expected = { type: FORMATS[format].contentType.split(';')[0], withinMs: (seconds ?? 0) * 1e3 + ENCODING_MS }
  try {
    return await client.bytes(`${isGroup ? '/group' : ''}/cpu?${query}`, expected)
  } finally {
    progress.end()
  }
}

/** @param {Invocation} invocation @param {FormatName} format */
async function attach ({ values, positionals: [pid], terminal, signal }, format) {
  const mapping = createSourceMapping({ values, terminal }, FORMATS[format].sources)
  if (!/^\d+$/.test(pid ?? '')) throw new Failure('usage', '--attach takes a pid.')
  if (values.last !== undefined) {
    throw new Failure('usage', 'A process without loopscope has no recorded past: --attach takes --seconds, not --last.')
  }
  if (values.threads) throw new Failure('usage', '--threads cannot be used with --attach: the worker threads of a process without loopscope cannot be reached.')
  if (values.route !== undefined) throw new Failure('usage', '--route cannot be used with --attach: a process without loopscope records no routes.')
  const seconds = secondsOf('--seconds', values.seconds, MAX_SECONDS) ?? DEFAULT_ATTACH_SECONDS
  const { profileByInspector } = require('../attach')
  const profile = await profileByInspector(Number(pid), { seconds, terminal, signal })
  return FORMATS[format].encode(await mapping.profile(profile), { title: `CPU profile of pid ${pid}`, startedAt: Date.now() - seconds * 1e3 })
}

/** @param {Invocation['values']} values */
function assertThreadsOptions ({ last, route, group }) {
  if (group !== undefined) throw new Failure('usage', '--threads cannot be used with --group: worker threads are recorded in one process.')
  if (last !== undefined) throw new Failure('usage', '--threads takes --seconds, not --last: worker threads are recorded from now on.')
  if (route !== undefined) throw new Failure('usage', '--threads cannot be used with --route: samples of worker threads have no routes.')
}
