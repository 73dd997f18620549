'use strict'

const { Failure } = require('../failure')
const { GROUP_OPTION, groupAnswer } = require('../connect/group')
const { ANSWER_OPTIONS, connect } = require('../connect/connect')
const { PID_COLUMN, showLocation, showShare, sparkline } = require('../output/display')
const { tableLines } = require('../output/table')
const { localTime } = require('../../base/local-time')
const { showBytes } = require('../../base/sizes')
const { MAX_SITES_SECONDS } = require('../../shared/captures/kinds')
const { keeperOf, ownerText } = require('../../shared/memory-owner')
const { printable } = require('../../base/printable')

/** @import { Command, Invocation } from '../commands' */
/** @import { AllocationSite, AllocationSites } from '../../../types/memory' */

const SITES_ANSWER_MS = 30_000 // after that time: readings collect garbage, and source maps are read

/** @type {Command} */
module.exports = {
  name: 'memory',
  help: 'show who owns the memory of a process (heap, Buffers, worker threads, native code), and what grows',
  options: {
    sites: { type: 'boolean', meaning: 'show which code allocates what stays in memory' },
    seconds: { type: 'string', meaning: 'with --sites: sample for so many seconds from now on' },
    group: GROUP_OPTION,
    ...ANSWER_OPTIONS
  },
  examples: ['loopscope memory 1234', 'loopscope memory 1234 --sites --seconds 60', 'loopscope memory --group api', 'loopscope memory http://127.0.0.1:6060'],
  run
}

/** @type {import('../output/table').Column[]} */
const COLUMNS = [
  { title: 'OWNER', cell: ({ owner, name }) => ownerText(owner, name) },
  { title: 'IN MEMORY', isNumber: true, cell: ({ bytes }) => showBytes(bytes) },
  { title: 'SHARE', isNumber: true, cell: ({ share }) => share === null ? '-' : showShare(share) },
  { title: 'ALLOCATED', isNumber: true, cell: ({ allocatedBytes }) => allocatedBytes === null ? '-' : showBytes(allocatedBytes) },
  { title: 'GROWS BY', isNumber: true, cell: ({ growing }) => growing === undefined ? '-' : showRate(growing) }
]

/** @param {string} title @param {...string} owners @returns {import('../output/table').Column} */
function sumColumn (title, ...owners) {
  return {
    title,
    isNumber: true,
    cell: row => showBytes(row.owners.reduce((/** @type {number} */ sum, /** @type {any} */ { owner, bytes }) => owners.includes(owner) ? sum + bytes : sum, 0))
  }
}

/** @type {import('../output/table').Column[]} */
const GROUP_COLUMNS = [
  PID_COLUMN,
  { title: 'RSS', isNumber: true, cell: ({ rssBytes }) => rssBytes === null ? '-' : showBytes(rssBytes) },
  sumColumn('HEAP', 'heap'),
  sumColumn('HEAP FREE', 'heap-free'),
  sumColumn('BUFFERS', 'buffers'),
  sumColumn('EXTERNAL', 'external'),
  sumColumn('WORKERS', 'worker'),
  sumColumn('LOOPSCOPE', 'loopscope'),
  sumColumn('CODE', 'code'),
  sumColumn('NATIVE', 'native', 'stacks'),
  { title: 'GROWS', cell: ({ growing }) => growing.length === 0 ? '-' : growing.map((/** @type {any} */ one) => `${ownerText(one.owner, one.name)} ${showRate(one)}`).join(', ') }
]

/** @param {{ bytesPerMinute: number }} growing */
function showRate ({ bytesPerMinute }) {
  return `${showBytes(bytesPerMinute)}/min`
}

/** @param {Invocation} invocation */
async function run (invocation) {
  const { terminal, values } = invocation
  if (values.sites) return showSites(invocation)
  if (values.seconds !== undefined) throw new Failure('usage', '--seconds is an option of --sites.')
  if (values.group !== undefined) return showGroup(invocation)
  const answer = await connect(invocation).json('/memory', { kind: 'memory' })
  if (values.json) return terminal.json(answer)
  const { rssBytes, owners, growing, fragmentation = null, allocator, container, unknownWorkers, measuredAt, isStale } = answer
  if (isStale) terminal.note(`the event loop is blocked: figures of the main thread are from ${localTime(measuredAt)}`)
  const rows = owners.map((/** @type {any} */ row) => ({
    ...row,
    share: rssBytes === null ? null : row.bytes / rssBytes,
    growing: growing.find((/** @type {any} */ { owner, name }) => owner === row.owner && name === row.name)
  }))
  terminal.line(rssBytes === null ? 'the system does not report the memory of the process: this is what V8 counts' : `${showBytes(rssBytes)} in memory`)
  const biggest = rows.toSorted((/** @type {any} */ left, /** @type {any} */ right) => right.bytes - left.bytes)
  terminal.table(COLUMNS, biggest)
  if (unknownWorkers > 0) terminal.note(`${unknownWorkers} worker ${unknownWorkers === 1 ? 'thread' : 'threads'} whose heap cannot be read: it is in the native memory`)
  if (fragmentation !== null) {
    const { freedBytes, keptBytes } = fragmentation
    const { name, advice } = keeperOf(fragmentation, allocator)
    terminal.note(`fragmentation: ${showBytes(freedBytes)} were freed, and ${name} keeps ${showBytes(keptBytes)} of it; ${advice}`)
  }
  if (container !== null) terminal.line(containerLine(container))
}

/** @param {Invocation} invocation */
async function showSites (invocation) {
  const { terminal, values } = invocation
  if (values.group !== undefined) throw new Failure('usage', '--sites is about one process: pass its pid instead of --group.')
  const seconds = values.seconds === undefined ? undefined : Number(values.seconds)
  if (seconds !== undefined && !(Number.isInteger(seconds) && seconds >= 1 && seconds <= MAX_SITES_SECONDS)) {
    throw new Failure('usage', `--seconds must be an integer from 1 to ${MAX_SITES_SECONDS}, got ${values.seconds}.`)
  }
  const client = connect(invocation)
  const progress = terminal.progress(seconds === undefined ? 'reading' : `sampling ${seconds} s`, seconds)
  const query = seconds === undefined ? '' : `?seconds=${seconds}`
  /** @type {import('../../../types/memory').AllocationSites} */
  const answer = await client.json(`/memory/sites${query}`, { withinMs: (seconds ?? 0) * 1e3 + SITES_ANSWER_MS }).finally(() => progress.end())
  if (values.json) return terminal.json(answer)
  for (const line of siteLines(answer, terminal.tableColumns())) terminal.line(line)
  for (const note of answer.notes) terminal.note(note)
}

/** @param {any} container */
function containerLine ({ usedBytes, limitBytes, processBytes, reclaimed, killed, swap = null, pressure, basis }) {
  const waited = pressure?.of === 'container' && pressure.someShare >= 0.01 ? [`processes waited for memory ${showShare(pressure.someShare)} of the last 10 s`] : []
  const swapped = swap !== null && swap.usedBytes > 0 ? [`${showBytes(swap.usedBytes)} in swap`] : []
  const events = [...swapped, ...waited, ...(reclaimed > 0 ? [`at a limit ${reclaimed} times`] : []), ...(killed > 0 ? [`${killed} ${killed === 1 ? 'process' : 'processes'} killed`] : [])]
  return [`container: ${showBytes(usedBytes)} of ${showBytes(limitBytes)} (${showShare(usedBytes / limitBytes)}), ${showBytes(processBytes)} of that by processes`, ...events]
    .join(', ') + `; ${basis}`
}

/** @param {Invocation} invocation */
async function showGroup (invocation) {
  const { terminal, values } = invocation
  const { answer, coverage } = await groupAnswer('memory', invocation)
  if (values.json) return terminal.json(answer)
  terminal.line(`group ${answer.group}: ${coverage}`)
  terminal.table(GROUP_COLUMNS, answer.members)
}

const MAX_ROWS = 20 // --json has all of them

/** @type {import('../output/table').Column[]} */
const SITE_COLUMNS = [
  { title: 'KEEPS', isNumber: true, cell: ({ bytes }) => showBytes(bytes) },
  { title: 'GROWS BY', isNumber: true, cell: ({ verdict, bytesPerMinute }) => verdict === 'stays' ? `${showBytes(bytesPerMinute)}/min` : '-' },
  { title: 'A REQUEST', isNumber: true, cell: ({ bytesPerRequest }) => bytesPerRequest === null ? '-' : showBytes(bytesPerRequest) },
  { title: 'WHAT', cell: ({ kind, holder, thread }) => [kind === 'heap' ? 'objects' : 'Buffers', ...holder === null ? [] : [`(${holder})`], ...thread === null ? [] : [`in ${thread}`]].join(' ') },
  { title: 'AGE', cell: ({ verdict, byBirth }) => `${sparkline(byBirth, '.')} ${verdict}` },
  { title: 'ROUTE', cell: ({ route }) => route ?? '-' },
  { title: 'ALLOCATED IN', endsWithLocation: true, cell: site => [showLocation(site), ...calledFrom(site)].join(', ') }
]

/** @param {AllocationSites} answer @param {number | undefined} width @returns {string[]} */
function siteLines ({ fromMs, toMs, isArmed, reason, sites, heap, buffers }, width) {
  const why = reason === 'growth' ? ', because memory grows' : ''
  const lines = [`allocations of ${Math.round((toMs - fromMs) / 1e3)} s that are alive, sampled ${isArmed ? 'until now' : `at ${localTime(toMs)}`}${why}; the age is from the oldest to the newest`]
  if (sites.length === 0) return [...lines, 'nothing that was allocated in that time is alive']
  return [
    ...lines,
    ...tableLines(SITE_COLUMNS, sites.slice(0, MAX_ROWS), width),
    ...heap === null ? [] : [restLine('objects', heap)],
    ...buffers === null ? [] : [restLine('Buffers', buffers) + (buffers.grownBytes === null ? '' : `; all Buffers of the process: ${buffers.grownBytes < 0 ? '' : '+'}${showBytes(buffers.grownBytes)}`)]
  ].map(printable)
}

/** @param {string} what @param {{ attributedBytes: number, sampledBytes: number }} sums */
function restLine (what, { attributedBytes, sampledBytes }) {
  const rest = sampledBytes - attributedBytes
  return `${what}: ${showBytes(sampledBytes)} alive${rest > 0 ? `, ${showBytes(rest)} of that without code of the application on the stack` : ''}`
}

/** @param {AllocationSite} site */
function calledFrom ({ caller, through, keptAt }) {
  return [...keptAt === null ? [] : [`${keptAt.isGuess ? 'perhaps' : 'probably'} kept at ${keptAt.file}:${keptAt.line}`], ...caller === null ? [] : [`called from ${showLocation(caller)}`], ...through === null ? [] : [`through ${through}`]]
}
