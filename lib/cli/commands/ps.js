'use strict'

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { Failure } = require('../failure')
const { followCapture } = require('../connect/client')
const { JSON_OPTION, CONNECT_OPTIONS, connect } = require('../connect/connect')
const { PROFILE_FILE_OPTIONS, createSourceMapping, explainFileErrors } = require('../profile-file')
const { OUTPUT_OPTIONS } = require('../output/destination')
const { showDuration, showLocation } = require('../output/display')
const { WIDE_OPTION, tableLines } = require('../output/table')
const { printable } = require('../../base/printable')
const { showBytes } = require('../../base/sizes')
const { sum } = require('../../base/sums')
const { describeFrame, packageOf } = require('../../formats/profile/frame')
const { publicModuleOf } = require('../../formats/profile/node-api')
const { PAUSE_MS_PER_MB } = require('../../shared/captures/kinds')

/** @import { CallFrame } from '../../../types/profile' */
/** @import { Suspended, SuspendedFunction, SuspendedStop } from '../../../types/suspended' */
/** @import { Stop, Waiting } from '../../heap-diff/suspended/read-suspended' */
/** @import { Command, Invocation } from '../commands' */

const KIND = 'heap-snapshot'
const BYTES_PER_MB = 1e6
const MAX_STOPS = 20 // --json has all of them
const MAX_AWAITERS = 12 // lines of one stop

// Classes of Node.js, by what `waits` calls them.
const KINDS = new Map([
  ['Timeout', 'timer'], ['Immediate', 'timer'], ['ClientRequest', 'http'], ['ChildProcess', 'process'], ['GetAddrInfoReqWrap', 'dns'], ['QueryReqWrap', 'dns'],
  ['TCPConnectWrap', 'connect'], ['FSReqCallback', 'file'], ['FSReqPromise', 'file'], ['PBKDF2Job', 'crypto'], ['ScryptJob', 'crypto'], ['RandomBytesJob', 'crypto']
])

/** @type {Command} */
module.exports = {
  name: 'ps',
  usage: '[<pid|name|url>]',
  help: 'show where async functions are suspended and who awaits them, from a heap snapshot: also what nobody watched',
  options: {
    from: { type: 'string', meaning: 'read this heap snapshot instead of taking one' },
    yes: { type: 'boolean', meaning: 'take a snapshot of the process: it stands still meanwhile' },
    root: PROFILE_FILE_OPTIONS.root,
    sources: PROFILE_FILE_OPTIONS.sources,
    json: JSON_OPTION,
    wide: WIDE_OPTION,
    ...OUTPUT_OPTIONS,
    force: { type: 'boolean', meaning: 'take it even if memory may not suffice or the budget is used up; overwrite an existing file' },
    ...CONNECT_OPTIONS
  },
  examples: ['loopscope ps --from heap.heapsnapshot', 'loopscope ps 1234 --yes'],
  run
}

/** @type {import('../output/table').Column[]} */
const COLUMNS = [
  { title: 'COUNT', isNumber: true, cell: ({ count }) => String(count) },
  { title: 'SUSPENDED', endsWithLocation: true, cell: ({ depth, ...place }) => `${'  '.repeat(depth)}${depth === 0 ? '' : 'awaited by '}${showLocation(place)}` },
  { title: 'AWAITS', cell: ({ awaits }) => awaits }
]

/** @param {Invocation} invocation */
async function run (invocation) {
  const { positionals: [target], terminal, values } = invocation
  const { from } = values
  if (from !== undefined && (target !== undefined || values.socket !== undefined)) throw new Failure('usage', '--from cannot be combined with a process.')
  const mapping = createSourceMapping(invocation)
  const suspended = from === undefined ? await ofProcess(invocation, mapping) : await ofFile(from, invocation, mapping)
  if (values.json) return terminal.json(suspended)
  for (const line of suspendedLines(suspended, terminal.tableColumns())) terminal.line(line)
}

/** @param {Invocation} invocation @param {ReturnType<typeof createSourceMapping>} mapping */
async function ofProcess (invocation, mapping) {
  const { terminal, signal, values: { yes, force } } = invocation
  const client = connect(invocation)
  const pause = describePause(await client.json('/memory', { kind: 'memory' }))
  if (!yes) throw new Failure('usage', `A heap snapshot stops the process ${pause}.`, 'Pass --yes to take it, or --from with a file. Nothing was done.')
  terminal.note(`taking a heap snapshot: the process stands still ${pause}`)
  const { id } = await client.json('/captures', { method: 'POST', body: { kind: KIND, ...(force && { force }) } })
  const { artifact } = await followCapture(client, id, { kind: KIND, terminal, signal })
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'loopscope-ps-'))
  try {
    const file = path.join(folder, 'heap.heapsnapshot')
    const route = `/artifacts/${encodeURIComponent(artifact.name)}`
    await fs.promises.writeFile(file, await client.ask(route), { mode: 0o600, flag: 'wx' })
    await fs.promises.writeFile(`${file}.json`, JSON.stringify(await client.json(`${route}/metadata`)), { mode: 0o600, flag: 'wx' })
    terminal.note(`the snapshot is kept: \`loopscope artifacts\` has it as ${artifact.name}`)
    return await ofFile(file, invocation, mapping)
  } finally {
    fs.rmSync(folder, { recursive: true, force: true })
  }
}

/** @param {import('../../../types/memory').MemoryOwners} memory */
function describePause ({ owners }) {
  const { bytes = 0, allocatedBytes } = owners.find(({ owner }) => owner === 'heap') ?? {}
  const heapBytes = allocatedBytes ?? bytes
  return `for about ${showDuration(heapBytes / BYTES_PER_MB * PAUSE_MS_PER_MB)} (its heap has ${showBytes(heapBytes)})`
}

/**
 * @param {string} file
 * @param {Pick<Invocation, 'values' | 'terminal' | 'signal'>} invocation
 * @param {ReturnType<typeof createSourceMapping>} mapping
 * @returns {Promise<Suspended>}
 */
async function ofFile (file, { values, terminal, signal }, mapping) {
  const { readSuspended } = require('../../heap-diff/suspended/read-suspended')
  const { readFacts } = require('../../heap-diff/comparison/load-snapshots')
  const appRoot = values.root ?? process.cwd()
  const progress = terminal.progress(`reading ${path.basename(file)}`)
  const isApp = (/** @type {CallFrame} */ place) => describeFrame(place, { appRoot }).origin === 'app'
  const onProgress = (/** @type {number} */ bytes) => progress.note(showBytes(bytes))
  const { functions, places, stops } = await explainFileErrors(readSuspended(file, { isApp, onProgress, signal })).finally(progress.end)
  const original = await mapping.frames(places)
  const shown = original.map((place, index) => ({ ...describeFrame(place, { appRoot }), origin: describeFrame(places[index], { appRoot }).origin }))
  const { pid = null, takenAt = null } = /** @type {Partial<Suspended>} */ (readFacts(file))
  return { pid, takenAt, suspended: functions, stops: stops.map(stop => toStop(stop, shown)) }
}

/** @param {Stop} stop @param {ReturnType<typeof describeFrame>[]} places @returns {SuspendedStop} */
function toStop ({ waiting, awaited, holder, isCircular }, places) {
  const held = holder === null ? null : { ...places[holder.place], name: holder.name || places[holder.place].name }
  return {
    ...toFunction(waiting, places),
    awaited: awaited === null ? held && describeAwaited(held, holder?.name) : describeAwaited(places[awaited]),
    holder: held && { name: held.name, file: held.file, line: held.line },
    isCircular
  }
}

/** @param {Waiting} waiting @param {ReturnType<typeof describeFrame>[]} places @returns {SuspendedFunction} */
function toFunction ({ place, count, awaitedBy }, places) {
  const { name, file, line, column } = places[place]
  return { function: name, file, line, column, count, awaitedBy: awaitedBy.map(one => toFunction(one, places)) }
}

/** @param {{ file: string, origin: string }} place @param {string} [holder]  its name: `Timeout._onTimeout` */
function describeAwaited ({ file, origin }, holder = '') {
  if (origin === 'dependency') return packageOf(file)
  const kind = KINDS.get(holder.split('.')[0])
  if (kind !== undefined && origin !== 'app') return kind
  return origin === 'node' ? publicModuleOf(file) : null
}

/** @param {Suspended} suspended @param {number | undefined} width @returns {string[]} */
function suspendedLines ({ suspended, stops }, width) {
  // What Node.js does by itself; that the application waits for it is shown at its own function.
  const shown = stops.filter(({ file }) => !file.startsWith('node:'))
  if (shown.length === 0) return [suspended === 0 ? 'no async function is suspended' : `${suspended} async functions of Node.js are suspended, none of the application`]
  const rows = shown.slice(0, MAX_STOPS).flatMap(stop => [{ ...stop, depth: 0, awaits: describeHolder(stop) }, ...someRows(awaiterRows(stop.awaitedBy, 1))])
  return [
    `${suspended} async functions are suspended, here by what they wait at; lines are those at which functions begin`,
    ...tableLines(COLUMNS, rows, width),
    ...(shown.length > MAX_STOPS ? [`${shown.length - MAX_STOPS} more: see --json`] : [])
  ].map(printable)
}

/**
 * @param {SuspendedFunction[]} awaitedBy
 * @param {number} depth
 * @returns {(SuspendedFunction & { depth: number, awaits: string })[]}
 */
function awaiterRows (awaitedBy, depth) {
  return awaitedBy.flatMap(one => [{ ...one, depth, awaits: '' }, ...awaiterRows(one.awaitedBy, depth + 1)])
}

/** @param {ReturnType<typeof awaiterRows>} rows */
function someRows (rows) {
  if (rows.length <= MAX_AWAITERS) return rows
  const hidden = rows.slice(MAX_AWAITERS)
  const count = sum(hidden, row => row.count)
  return [...rows.slice(0, MAX_AWAITERS), { ...hidden[0], count, function: 'others', file: '', depth: 1 }]
}

/** @param {SuspendedStop} stop */
function describeHolder ({ awaited, holder, isCircular }) {
  if (isCircular) return 'itself, through those that await it'
  if (holder === null) return awaited ?? '-'
  const { name, file, line } = holder
  if (awaited === null) return showLocation({ function: name, file: line === 0 ? '' : file, line, column: 0 })
  return name === '' || KINDS.has(name.split('.')[0]) || name === '(anonymous)' ? awaited : `${awaited} (${name})`
}
