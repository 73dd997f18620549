'use strict'

const { setTimeout: sleep } = require('node:timers/promises')
const { REACH_OPTIONS, reach } = require('../reach/reach')
const { tableLines } = require('../output/table')
const { showCulprit, showDuration, showTime } = require('../output/display')
const { showBytes } = require('../../shared/base/sizes')

/** @import { Command, Invocation } from '../commands' */

const BARS = '▁▂▃▄▅▆▇█'
const MAX_STALLS = 8
const RETRY_MS = 1000

/** @type {Command} */
module.exports = {
  name: 'top',
  usage: '<pid|url>',
  help: 'how the loop does, live; off a terminal one line a second',
  options: { ...REACH_OPTIONS, count: { type: 'string', short: 'n', meaning: 'end after so many seconds' } },
  positionals: { min: 0, max: 1 },
  examples: ['loopscope top 1234', 'loopscope top 1234 -n 10 > loop.log'],
  run
}

/** @param {Invocation} invocation */
async function run (invocation) {
  const { terminal, values, signal } = invocation
  const client = reach(invocation)
  const { facts } = await client.json('/')
  const { stalls } = await client.json(`/stalls?limit=${MAX_STALLS}`)
  const view = { facts, delays: /** @type {number[]} */ ([]), stalls, stuck: null }
  let left = values.count === undefined ? Infinity : Number(values.count)
  terminal.openScreen()
  try {
    while (left > 0 && !signal.aborted) {
      for await (const { name, data } of client.events('/live')) {
        note(view, name, data)
        if (name !== 'loop') continue
        if (terminal.isOutputTerminal) terminal.drawScreen(screen(view, data, terminal))
        else terminal.line(line(data))
        if (--left <= 0) return
      }
      await sleep(RETRY_MS, undefined, { signal })
    }
  } finally {
    terminal.closeScreen()
  }
}

/**
 * @param {{ delays: number[], stalls: any[], stuck: any }} view
 * @param {string} name
 * @param {any} data
 */
function note (view, name, data) {
  if (name === 'stall') view.stalls = [data, ...view.stalls].slice(0, MAX_STALLS)
  if (name === 'stuck') view.stuck = data
  if (name !== 'loop') return
  view.delays.push(Math.max(data.maxDelayMs, data.blockedMs))
  if (data.blockedMs === 0) view.stuck = null
}

/** @param {any} now */
function line ({ at, maxDelayMs, blockedMs, utilization, memory }) {
  const delay = showDuration(Math.max(maxDelayMs, blockedMs))
  const rss = memory === null ? '-' : showBytes(memory.rssBytes)
  return `${showTime(at)} delay ${delay} utilization ${share(utilization)} rss ${rss}${blockedMs > 0 ? ' BLOCKED' : ''}`
}

/**
 * @param {any} view
 * @param {any} now
 * @param {Invocation['terminal']} terminal
 */
function screen ({ facts, delays, stalls, stuck }, { maxDelayMs, blockedMs, utilization, memory }, terminal) {
  const width = terminal.columns()
  const by = stuck === null ? '' : ` ${stuck.route ?? ''} ${showCulprit(stuck.culprit)}`
  const state = blockedMs > 0 || stuck !== null
    ? terminal.paint(['red', 'bold'], `BLOCKED for ${showDuration(Math.max(blockedMs, stuck?.durationMs ?? 0))}${by}`)
    : terminal.paint('green', 'turning')
  const rss = memory === null ? '-' : showBytes(memory.rssBytes)
  const heap = memory === null ? '-' : showBytes(memory.heapUsedBytes)
  return [
    [terminal.paint('bold', facts.appName), `  pid ${facts.pid}  Node ${facts.nodeVersion}  `, state],
    `delay ${showDuration(maxDelayMs)}   utilisation ${share(utilization)}   rss ${rss}   heap ${heap}`,
    '',
    `longest delay of each second, up to ${showDuration(Math.max(...delays))}`,
    sparkline(delays.slice(-Math.max(10, width - 2))),
    '',
    ...tableLines([
      { title: 'STALL (UTC)', cell: ({ at }) => showTime(at) },
      { title: 'LASTED', isNumber: true, cell: ({ durationMs }) => showDuration(durationMs) },
      { title: 'CAUSE', cell: ({ cause }) => cause },
      { title: 'ROUTE', cell: ({ route }) => route ?? '-' },
      { title: 'CULPRIT', cell: ({ culprit }) => showCulprit(culprit) }
    ], stalls, width),
    '',
    'Ctrl-C ends this view; the process goes on.'
  ]
}

/** @param {number[]} values */
function sparkline (values) {
  const top = Math.max(...values, 1)
  return values.map(value => BARS[Math.min(BARS.length - 1, Math.floor(value / top * BARS.length))]).join('')
}

/** @param {number | null} ratio */
function share (ratio) {
  return ratio === null ? '-' : `${(ratio * 100).toFixed(0)} %`
}
