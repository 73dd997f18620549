'use strict'

const { Failure } = require('../failure')
const { OUTPUT_OPTIONS, chooseFormat, nameOf, openDestination } = require('../output/destination')
const { jsonFile, tarArchive } = require('../output/tar-archive')
const { createClient, followCapture } = require('../connect/client')
const { GROUP_OPTION, findMembers, connectToGroup } = require('../connect/group')
const { CONNECT_OPTIONS, connect } = require('../connect/connect')
const { checkRequest } = require('../../shared/captures/kinds')
const { SOURCES, HISTOGRAM_FORMATS, HEAP_FORMATS } = require('../../formats/formats')
const { capturesInTurn } = require('../../shared/group/group-captures')
const { namesOf } = require('../../shared/group/members')

/** @import { Command, Invocation } from '../commands' */
/** @import { ArchiveFile } from '../output/tar-archive' */
/** @import { MemberCapture } from '../../shared/group/group-captures' */
/** @import { Member } from '../../shared/group/members' */

/** @type {Readonly<Record<string, { kind: string, formats: Readonly<Record<string, { extension: string }>>, defaultFormat: string }>>} */
const KINDS = Object.freeze({
  snapshot: { kind: 'heap-snapshot', formats: { heapsnapshot: { extension: 'heapsnapshot' } }, defaultFormat: 'heapsnapshot' },
  profile: { kind: 'heap-profile', formats: HEAP_FORMATS, defaultFormat: 'heapprofile' },
  histogram: { kind: 'heap-histogram', formats: HISTOGRAM_FORMATS, defaultFormat: 'json' }
})
const GROUP_MS = 30_000 // to query all processes, and to merge and encode the profiles

/** @type {Command} */
module.exports = {
  name: 'heap',
  help: 'take a redacted heap snapshot, which pauses the process; or a heap profile or histogram, at little cost',
  options: {
    kind: { type: 'string', short: 'k', meaning: 'snapshot (default), profile (sampled allocations by stack), or histogram (objects by constructor)' },
    seconds: { type: 'string', meaning: 'for a profile: only allocations in the next seconds (default: all since sampling began)' },
    mode: { type: 'string', meaning: 'for a profile: live (default) for objects still alive, or all for everything allocated' },
    format: { type: 'string', short: 'f', meaning: 'for a profile: heapprofile, pprof, flamegraph, text; for a histogram: json, text (default: by the extension of the file, else text)' },
    sources: { type: 'string', meaning: `for a profile: locations in the original code or in the code that runs: ${SOURCES.join(', ')}` },
    redact: { type: 'string', meaning: 'what to redact from a snapshot: values (default), strict, or off' },
    pseudonyms: { type: 'boolean', meaning: 'replace equal values with equal pseudonyms' },
    ...OUTPUT_OPTIONS,
    force: { type: 'boolean', meaning: 'take a snapshot even if memory may not suffice or the budget is used up; overwrite an existing file' },
    group: { ...GROUP_OPTION, meaning: 'all processes of this group on this host: profiles are merged; snapshots and histograms are taken one after the other, into an archive' },
    ...CONNECT_OPTIONS
  },
  examples: [
    'loopscope heap 1234 -o before.heapsnapshot',
    'loopscope heap 1234 --kind profile --seconds 30 -o new.html',
    'loopscope heap 1234 --kind histogram',
    'loopscope heap --group shop --kind profile',
    'loopscope heap --group shop -o shop.tar.gz'
  ],
  makesFile: true,
  run
}

/**
 * @typedef {{ kind: string, body: Record<string, any>, extension: string, withFacts: boolean }} CaptureRequest  withFacts: with
 *   the metadata of a snapshot, for comparisons
 */

/** @param {Invocation} invocation */
async function run (invocation) {
  const { values, terminal, signal } = invocation
  const { kind: name = 'snapshot' } = values
  if (!Object.hasOwn(KINDS, name)) throw new Failure('usage', `${name} is not a kind of heap capture.`, `Kinds: ${Object.keys(KINDS).join(', ')}.`)
  const { kind, formats, defaultFormat } = KINDS[name]
  if (values.group !== undefined && name !== 'profile') return archiveGroup(invocation, KINDS[name])
  const format = chooseFormat(formats, invocation, defaultFormat)
  const options = captureOptions(kind, { ...values, format })
  const isText = format === 'text' || format === 'json'
  const destination = openDestination(invocation, { name: nameOf(kind, formats[format].extension), isText })
  if (values.group !== undefined) return profileGroup(invocation, { ...options, destination })
  const metadata = name === 'snapshot' && destination.file !== null ? openMetadataFile(invocation, destination.file) : null
  const client = connect(invocation)
  const { id } = await client.json('/captures', { method: 'POST', body: { kind, ...options } })
  const { artifact } = await followCapture(client, id, { kind, seconds: options.seconds, terminal, signal })
  const route = `/artifacts/${encodeURIComponent(artifact.name)}`
  await client.deliver(route, destination)
  if (metadata !== null) await metadata.write(Buffer.from(`${JSON.stringify(await client.json(`${route}/metadata`), null, 2)}\n`))
}

/**
 * @param {Invocation} invocation
 * @param {Record<string, any> & { destination: import('../output/destination').Destination }} wanted
 */
async function profileGroup (invocation, { destination, ...options }) {
  const client = await connectToGroup(invocation)
  const query = new URLSearchParams(Object.entries(options).map(([key, value]) => /** @type {[string, string]} */ ([key, String(value)])))
  const progress = invocation.terminal.progress('heap profile', options.seconds)
  const bytes = client.bytes(`/group/heap-profile?${query}`, { withinMs: (options.seconds ?? 0) * 1e3 + GROUP_MS })
  await destination.write(await bytes.finally(() => progress.end()))
}

/**
 * @param {Invocation} invocation
 * @param {{ kind: string, formats: Readonly<Record<string, { extension: string }>>, defaultFormat: string }} of
 */
async function archiveGroup (invocation, { kind, formats, defaultFormat }) {
  const { positionals: [target], values } = invocation
  const format = chooseFormat(formats, { ...invocation, values: { ...values, format: values.format ?? defaultFormat } }, defaultFormat)
  const body = { kind, ...captureOptions(kind, { ...values, format }) }
  const destination = openDestination(invocation, { name: nameOf(kind, 'tar.gz') })
  if (target !== undefined || values.socket !== undefined) {
    throw new Failure('usage', `--group with a ${kind} queries each process over its socket: it cannot be combined with a pid or a URL.`)
  }
  const wanted = { kind, body, extension: formats[format].extension, withFacts: kind === KINDS.snapshot.kind }
  await destination.write(tarArchive(capturesOf(invocation, await findMembers(invocation), wanted)))
}

/**
 * Takes one capture after the other, since each pauses its process, and adds it to the archive before the next one begins, so that no store
 * has to keep them all. index.json, at the end, lists the file of each process, or why it has none.
 * @param {Invocation} invocation
 * @param {Member[]} members
 * @param {CaptureRequest} wanted
 * @returns {AsyncGenerator<ArchiveFile>}
 */
async function * capturesOf ({ values: { group }, signal, terminal }, members, { kind, body, extension, withFacts }) {
  const nameOfMember = namesOf(members)
  const processes = []
  for await (const one of capturesInTurn(members, { kind, body }, signal, Infinity)) {
    const { member: { id, pid, instance, startedAt } } = one
    const name = `${kind}-${nameOfMember(one.member)}.${extension}`
    const { files, problem } = await readFiles(one, name, { signal, withFacts })
    yield * files
    processes.push({ pid, id, instance, startedAt, file: problem === null ? name : null, problem })
    terminal.note(`${processes.length} of ${members.length}: ${pid} ${problem ?? 'done'}`)
  }
  signal.throwIfAborted()
  if (processes.every(({ file }) => file === null)) {
    throw new Failure('failed', `No process of the group ${group} produced a ${kind}; ${processes[0].pid}: ${processes[0].problem}.`)
  }
  yield jsonFile('index.json', { group, processes }, Date.now())
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
    const facts = withFacts ? [jsonFile(`${name}.json`, await client.json(`${route}/metadata`), modifiedAt)] : []
    return { files: [...facts, { name, bytes, content: await client.ask(route), modifiedAt }], problem: null }
  } catch (error) {
    signal.throwIfAborted()
    return { files: [], problem: /** @type {Error} */ (error).message }
  }
}

/**
 * @param {string} kind
 * @param {Record<string, any>} values
 * @throws {Failure} for options that the kind does not have
 */
function captureOptions (kind, { redact, pseudonyms, force, seconds, mode, format, sources }) {
  const isSnapshot = kind === KINDS.snapshot.kind
  const options = {
    ...(redact && { redact }),
    ...(pseudonyms && { pseudonyms }),
    ...(force && isSnapshot && { force }),
    ...(seconds !== undefined && { seconds: Number(seconds) }),
    ...(mode && { mode }),
    ...(!isSnapshot && { format }),
    ...(sources && { sources })
  }
  try {
    checkRequest(kind, options)
    return options
  } catch (error) {
    const message = /** @type {Error} */ (error).message.replaceAll('capture options.', '--')
    throw new Failure('usage', `${message}.`, 'See `loopscope heap --help`.')
  }
}

/**
 * The file for what a comparison needs to know about a snapshot: its process, and whether object ids are comparable.
 * @param {Invocation} invocation
 * @param {string} snapshot  file
 */
function openMetadataFile ({ values, terminal, signal }, snapshot) {
  const file = `${snapshot}.json`
  return openDestination({ values: { ...values, output: file }, terminal, signal }, { name: file })
}
