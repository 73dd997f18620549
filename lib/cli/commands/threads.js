'use strict'

const { ANSWER_OPTIONS, connect } = require('../connect/connect')
const { THREAD_COLUMNS, showCulprit, showDuration, showShare } = require('../output/display')
const { localTime } = require('../../base/local-time')

/** @import { Command, Invocation } from '../commands' */

const MAX_STALLS = 10 // --json has all of them

/** @type {Command} */
module.exports = {
  name: 'threads',
  help: 'show worker threads: how busy each is, in which function, and their stalls',
  options: ANSWER_OPTIONS,
  examples: ['loopscope threads 1234', 'loopscope threads http://127.0.0.1:6060'],
  run
}

/** @type {import('../output/table').Column[]} */
const NAME_COLUMNS = [
  { title: 'THREADS', cell: ({ name }) => name },
  { title: 'CPU TIME', isNumber: true, cell: ({ ms }) => showDuration(ms) }
]

/** @type {import('../output/table').Column[]} */
const STALL_COLUMNS = [
  { title: 'TIME', isWhole: true, cell: ({ at }) => localTime(at) },
  { title: 'LASTED', isNumber: true, cell: ({ durationMs }) => showDuration(durationMs) },
  { title: 'CAUSE', cell: ({ cause }) => cause },
  { title: 'THREAD', cell: ({ thread }) => thread.name },
  { title: 'CULPRIT', endsWithLocation: true, cell: stall => showCulprit({ route: null, ...stall }) }
]

/** @param {Invocation} invocation */
async function run (invocation) {
  const { terminal, values } = invocation
  const known = await connect(invocation).json('/threads')
  if (values.json) return terminal.json(known)
  const { load, off, unwatched, threads, stalls } = known
  if (load !== null) terminal.line(describeLoad(load))
  if (off !== null) {
    terminal.note(`not watched: ${off}`)
    terminal.note('`loopscope profile --threads` shows what they run')
    return load !== null && load.busiest.length > 0 ? terminal.table(NAME_COLUMNS, load.busiest) : undefined
  }
  if (unwatched > 0) terminal.note(`${unwatched} more ${unwatched === 1 ? 'is' : 'are'} not watched`)
  if (threads.length === 0) return terminal.line('no worker threads are watched')
  terminal.table(THREAD_COLUMNS, threads)
  if (stalls.length === 0) return
  terminal.line('')
  terminal.table(STALL_COLUMNS, stalls.slice(0, MAX_STALLS))
}

/** @param {any} load */
function describeLoad ({ ms, workerMs, poolMs, isPoolApart }) {
  const subject = isPoolApart ? 'worker threads' : "worker threads and libuv's pool"
  const pool = isPoolApart ? `, libuv's pool ${showShare(poolMs / ms)}` : ''
  return `${subject} used ${showShare(workerMs / ms)} of a CPU in the last ${showDuration(ms)}${pool}`
}
