'use strict'

// The screen of `top`: a table of processes, and the delays and stalls of the selected one, drawn once a second and after each key. The terminal is
// restored when it ends, whatever happened.

const { setTimeout: sleep } = require('node:timers/promises')
const { localTime } = require('../base/local-time')
const { showBytes } = require('../base/sizes')
const { sum } = require('../base/sums')
const { performance } = require('../base/timers')
const { THREAD_COLUMNS, showCause, showCulprit, showDuration, showShare, sparkline, timeColumn } = require('./output/display')
const { findingLines } = require('./output/findings')
const { fit, tableLines } = require('./output/table')

/** @import { Invocation } from './commands' */
/** @import { Column } from './output/table' */
/** @import { Part, Terminal } from './output/terminal' */
/** @import { Client, Watched } from './commands/top' */

const DRAW_MS = 1000
const SILENT_MS = 3000 // an event is sent every second
const MAX_THREADS = 8 // busiest first; leaves room for stalls

/**
 * @typedef {object} View
 * @property {Watched[]} all
 * @property {number} selected  index in the sorted list
 * @property {number} sort      index in SORTS
 * @property {boolean} isPaused
 * @property {(Part | Part[])[] | null} over  lines that are shown instead: the help, or findings
 */

/** @type {readonly { title: string, key: (watched: Watched) => number | string }[]} */
const SORTS = Object.freeze([
  { title: 'DELAY', key: watched => -delayOf(watched) },
  { title: 'UTIL', key: ({ now }) => -(now?.utilization ?? -1) },
  { title: 'RSS', key: ({ now }) => -(now?.memory?.rssBytes ?? -1) },
  { title: 'NAME', key: ({ facts }) => facts?.appName ?? '' },
  { title: 'PID', key: ({ facts }) => facts?.pid ?? 0 }
])

/** @type {readonly Column[]} */
const COLUMNS = Object.freeze([
  { title: 'PID', isNumber: true, cell: ({ facts, name }) => String(facts?.pid ?? name) },
  { title: 'NAME', cell: ({ facts }) => facts?.appName ?? '-' },
  { title: 'DELAY', isNumber: true, cell: watched => watched.now === null ? '-' : showDuration(delayOf(watched)) },
  { title: 'UTIL', isNumber: true, cell: ({ now }) => percent(now?.utilization ?? null) },
  { title: 'RSS', isNumber: true, cell: ({ now }) => bytes(now?.memory?.rssBytes) },
  { title: 'HEAP', isNumber: true, cell: ({ now }) => bytes(now?.memory?.heapUsedBytes) },
  { title: 'STATE', endsWithLocation: true, cell: stateOf }
])

/** @type {readonly Column[]} */
const STALL_COLUMNS = Object.freeze([
  { title: 'LASTED', isNumber: true, cell: ({ durationMs }) => showDuration(durationMs) },
  { title: 'CAUSE', cell: showCause },
  { title: 'ROUTE', cell: ({ route }) => route ?? '-' },
  { title: 'CULPRIT', endsWithLocation: true, cell: showCulprit }
])

const HELP = Object.freeze([
  'arrows, j k   select a process',
  's             sort by the next column',
  'enter, w      why: what is wrong with the selected process',
  'p, space      pause, and resume',
  '?             show this help',
  'q, Ctrl-C     quit; the processes keep running'
])

/** @type {Readonly<Record<string, string>>} */
const ACTIONS = Object.freeze({
  q: 'quit',
  '\u0003': 'interrupt',
  s: 'sort',
  p: 'pause',
  ' ': 'pause',
  '?': 'help',
  h: 'help',
  w: 'why',
  '\r': 'why',
  '\n': 'why',
  k: 'up',
  '\u001b[A': 'up',
  '\u001bOA': 'up',
  j: 'down',
  '\u001b[B': 'down',
  '\u001bOB': 'down'
})
// eslint-disable-next-line no-control-regex -- arrow keys send sequences that begin with it
const KEYS = /\u001b[[O][A-Z]|[^]/g

/**
 * @param {{ watched: Watched, client: Client }[]} watching  the caller may change it
 * @param {Pick<Invocation, 'terminal' | 'signal'> & { times: number }} how
 */
async function runScreen (watching, { terminal, signal, times }) {
  /** @type {View} */
  let view = { all: [], selected: 0, sort: 0, isPaused: false, over: null }
  const quit = new AbortController()
  const draw = () => {
    view = { ...view, all: watching.map(({ watched }) => watched), selected: Math.min(view.selected, watching.length - 1) }
    terminal.drawScreen(screenLines(view, terminal))
  }
  const showWhy = async () => {
    const { client } = watching.find(({ watched }) => watched === sorted(view)[view.selected]) ?? watching[0]
    view = { ...view, over: ['asking …'] }
    draw()
    const over = await client.json('/findings', { kind: 'findings' }).then(answer => findingLines(answer, terminal), error => [error.message])
    if (view.over !== null) view = { ...view, over }
    draw()
  }
  terminal.openScreen()
  const release = terminal.onKeys(typed => {
    for (const action of actionsOf(typed)) {
      if (action === 'quit') quit.abort()
      else if (action === 'interrupt') process.kill(process.pid, 'SIGINT') // the terminal does not send it while keys are read one by one
      else if (action === 'why' && view.over === null) showWhy().catch(() => quit.abort())
      else view = afterAction(view, action)
    }
    draw()
  })
  try {
    const until = AbortSignal.any([signal, quit.signal])
    for (let drawn = 0; drawn < times && !until.aborted; drawn++) {
      if (!view.isPaused && view.over === null) draw()
      await sleep(DRAW_MS, undefined, { signal: until }).catch(() => {})
    }
    signal.throwIfAborted()
  } finally {
    release()
    terminal.closeScreen()
  }
}

/**
 * @param {string} typed  may be several keys
 * @returns {string[]} their actions; '' for a key without one
 */
function actionsOf (typed) {
  return (typed.match(KEYS) ?? []).map(key => ACTIONS[key] ?? '')
}

/** @param {View} view @param {string} action @returns {View} */
function afterAction (view, action) {
  if (view.over !== null) return { ...view, over: null }
  const last = Math.max(0, sorted(view).length - 1)
  if (action === 'sort') return { ...view, sort: (view.sort + 1) % SORTS.length }
  if (action === 'pause') return { ...view, isPaused: !view.isPaused }
  if (action === 'help') return { ...view, over: [...HELP] }
  if (action === 'up') return { ...view, selected: Math.max(0, view.selected - 1) }
  if (action === 'down') return { ...view, selected: Math.min(last, view.selected + 1) }
  return view
}

/**
 * @param {View} view
 * @param {{ columns: () => number, rows: () => number, paint: Terminal['paint'] }} terminal
 * @returns {(Part | Part[])[]} lines
 */
function screenLines (view, terminal) {
  const [width, height] = [terminal.columns(), terminal.rows()]
  if (view.over !== null) return [...view.over.slice(0, height - 1), terminal.paint('dim', fit('any key goes back', width))]
  const all = sorted(view)
  const [titles, ...rows] = rowsOf(all, width)
  const lines = rows.map((row, index) => row.map(text => paintRow(text, all[index], index === view.selected && all.length > 1, terminal)))
  const state = `${processesOf(all)}, sorted by ${SORTS[view.sort].title}${view.isPaused ? ', PAUSED' : ''}${figuresOf(all)}`
  return [
    fit(`${state}   ? help  q quit`, width),
    ...titles.map(text => terminal.paint('bold', text)),
    ...lines.flat(),
    '',
    ...(all[view.selected] === undefined ? [] : detailLines(all[view.selected], width))
  ].slice(0, height)
}

/** @param {Pick<View, 'all' | 'sort'>} view */
function sorted ({ all, sort }) {
  const { key } = SORTS[sort]
  const order = (/** @type {Watched} */ left, /** @type {Watched} */ right) => key(left) < key(right) ? -1 : Number(key(left) > key(right))
  return [...all].sort(order)
}

/**
 * @param {Watched[]} all
 * @param {number} width
 * @returns {string[][]} the lines of each row, of the titles first: as many for all of them
 */
function rowsOf (all, width) {
  const lines = tableLines(COLUMNS, all, width)
  const perRow = lines.length / (all.length + 1)
  return Array.from({ length: all.length + 1 }, (_, index) => lines.slice(index * perRow, (index + 1) * perRow))
}

/**
 * @param {string} text
 * @param {Watched} watched
 * @param {boolean} isSelected
 * @param {{ paint: Terminal['paint'] }} terminal
 * @returns {Part}
 */
function paintRow (text, watched, isSelected, { paint }) {
  if (isSelected) return paint('inverse', text)
  return stateOf(watched) === 'OK' ? text : paint('red', text)
}

/** @param {Watched} watched @param {number} width */
function detailLines (watched, width) {
  const { delays, stalls } = watched
  const shown = delays.slice(-Math.max(10, width - 2))
  const threads = threadLines(watched, width)
  return [
    fit(`longest delay in each second, at most ${showDuration(Math.max(0, ...delays))}`, width),
    sparkline(shown),
    '',
    ...threads,
    ...(threads.length === 0 ? [] : ['']),
    ...(stalls.length === 0 ? ['no stalls'] : tableLines([{ ...timeColumn(width), title: 'STALL' }, ...STALL_COLUMNS], stalls, width))
  ]
}

/** The worker threads, where the option threads watches them. @param {Watched} watched @param {number} width */
function threadLines ({ now }, width) {
  const threads = now?.threads ?? [] // earlier versions of loopscope do not send them
  const rest = threads.length > MAX_THREADS ? [`${threads.length - MAX_THREADS} more: see \`loopscope threads\``] : []
  return threads.length === 0 ? [] : [...tableLines(THREAD_COLUMNS, threads.slice(0, MAX_THREADS), width), ...rest]
}

/** @param {readonly Watched[]} all */
function totalLine (all) {
  return `${processesOf(all)}${figuresOf(all)}`
}

/** @param {readonly Watched[]} all */
function processesOf ({ length }) {
  return length === 1 ? '1 process' : `${length} processes`
}

/** The mean utilization, the total memory, and the number of blocked processes. @param {readonly Watched[]} all */
function figuresOf (all) {
  const known = all.flatMap(({ now }) => now ?? [])
  const utilizations = known.flatMap(({ utilization }) => utilization ?? [])
  const mean = utilizations.length === 0 ? null : sum(utilizations) / utilizations.length
  const rss = sum(known, ({ memory }) => memory?.rssBytes ?? 0)
  const blocked = known.filter(({ blockedMs }) => blockedMs > 0).length
  const figures = [mean === null ? null : `util ${percent(mean)}`, rss === 0 ? null : `rss ${showBytes(rss)}`, blocked === 0 ? null : `${blocked} BLOCKED`]
  return figures.filter(figure => figure !== null).map((figure, index) => `${index === 0 ? ': ' : ', '}${figure}`).join('')
}

/** The values of a process as one line, for a log file. @param {Watched} watched */
function line (watched) {
  const { facts, now } = watched
  const figures = `delay ${showDuration(delayOf(watched))} utilization ${percent(now.utilization)} rss ${bytes(now.memory?.rssBytes)}`
  return `${localTime(now.at)} ${facts.pid} ${facts.appName} ${figures}${now.blockedMs > 0 ? ' BLOCKED' : ''}`
}

/** @param {Watched} watched */
function stateOf ({ now, stuck, heardMs, problem }) {
  if (problem !== null) return problem
  if (performance.now() - heardMs > SILENT_MS) return `no answer for ${showDuration(performance.now() - heardMs)}`
  if (now === null) return 'connecting'
  if (now.blockedMs === 0 && stuck === null) return 'OK'
  const by = stuck === null ? '' : ` ${stuck.route ?? ''} ${showCulprit(stuck)}`
  return `BLOCKED for ${showDuration(Math.max(now.blockedMs, stuck?.durationMs ?? 0))}${by}`
}

/** @param {Watched} watched */
function delayOf ({ now }) {
  return now === null ? -1 : Math.max(now.maxDelayMs, now.blockedMs)
}

/** @param {number | null} ratio */
function percent (ratio) {
  return ratio === null ? '-' : showShare(ratio)
}

/** @param {number | undefined} count */
function bytes (count) {
  return typeof count === 'number' ? showBytes(count) : '-'
}

module.exports = { COLUMNS, actionsOf, afterAction, line, runScreen, screenLines, threadLines, totalLine }
