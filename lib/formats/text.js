'use strict'

// Formats a CPU profile as a text report, similar to that of `node --prof-process`: time by kind, process and route, then the hottest functions with
// their callers.

const { sum } = require('../base/sums')
const { localTimeWithZone } = require('../base/local-time')
const { printable } = require('../base/printable')
const { buildCallTree } = require('./profile/call-tree')
const { bottomUp, callersOf, hottestLine, nearestOfApplication } = require('./profile/callers')
const { LOOP_IO, MAX_STACK_FRAMES, packageOf, placeOf } = require('./profile/frame')
const { describeTotal, kindOf, kindsOf, summarizeTime, timesByProcess, timesByRoute } = require('./profile/time-kinds')

/** @import { CpuProfile, EncodeContext } from '../../types/profile' */
/** @import { CallTree } from './profile/call-tree' */
/** @import { HeavyFrame } from './profile/callers' */
/** @import { Frame } from './profile/frame' */

// Rows below these shares are noise. --prof-process has the same limit for callers, but as a share of the line above; here it is a share of the
// function at the top, otherwise branches of branches would continue with almost no time left.
const MIN_SHARE_OF_CALLER = 0.02
const MIN_SHARE_OF_FUNCTION = 0.01

// Always shown, so that a program without hot spots can be recognized.
const MIN_FUNCTIONS = 5

// Fits on a screen with the next function; a recursion would otherwise have up to 255 levels, the limit of V8.
const MAX_CALLER_LEVELS = 12

const MAX_PROCESSES = 32
const MAX_ROUTES = 15
const MAX_ROUTE_WIDTH = 40
const NO_ROUTE = 'no request, or unknown'
const MAX_LINES = 5
// A function with a smaller share of the busy time is not hot.
const MIN_SHARE = 0.05

/** @param {CpuProfile} profile @param {EncodeContext} [context] @returns {Buffer} */
function encodeText (profile, context = {}) {
  const root = buildCallTree(profile, context)
  const { busy } = summarizeTime(root)
  const lines = [...headerLines(profile, root.totalMicros, context), '', ...summaryLines(root), '']
  for (const part of [processLines(root, busy, profile.processes), routeLines(root, busy)]) if (part.length > 0) lines.push(...part, '')
  for (const section of context.sections ?? []) lines.push(` ${section.title}`, '', ...section.lines, '')
  if (busy > 0) lines.push(...bottomUpLines(bottomUp(root), busy), '')
  return Buffer.from(lines.map(printable).join('\n'))
}

/** @param {CpuProfile} profile @param {number} totalMicros @param {EncodeContext} context */
function headerLines ({ samples, processes }, totalMicros, { title = 'CPU profile', startedAt, notes = [] }) {
  const recorded = startedAt === undefined ? '' : `from ${localTimeWithZone(startedAt)}, `
  return [
    title,
    `${recorded}${describeTotal(totalMicros, processes)}, ${samples.length} samples`,
    ...notes.map(note => `Note: ${note}`)
  ]
}

/** @param {CallTree} root */
function summaryLines (root) {
  const { javascript, wasm, native, gc, idle, busy } = summarizeTime(root)
  const loopIo = root.children.find(({ frame }) => frame.origin === 'meta' && frame.name === LOOP_IO)?.totalMicros ?? 0
  if (busy + idle === 0) return ['The profile has no samples: nothing was recorded in this time range.']
  return [
    ' [Summary]: all percentages are of busy time, which excludes idle time',
    '',
    '         ms   busy  where',
    row(javascript, busy, 'JavaScript'),
    ...(wasm > 0 ? [row(wasm, busy, 'WebAssembly')] : []),
    row(native - loopIo, busy, "native: Node's own code, native calls, V8"),
    ...(loopIo > 0 ? [row(loopIo, busy, 'event loop I/O: reads, writes, accepts and polls of libuv outside JavaScript')] : []),
    row(gc, busy, 'GC'),
    `${inMs(idle)}      -  idle (${percent(idle, busy + idle).trim()} of the whole time)`
  ]
}

/** @param {HeavyFrame[]} functions @param {number} busyMicros */
function bottomUpLines (functions, busyMicros) {
  const shown = functions.filter(({ micros }, rank) => rank < MIN_FUNCTIONS || micros >= busyMicros * MIN_SHARE_OF_FUNCTION)
  const restMicros = busyMicros - sum(shown, ({ micros }) => micros)
  const lines = [
    ' [Bottom up (heavy) profile]: where the time was spent, with callers indented below each function',
    '',
    '         ms  share  function, then its callers with their share of the line above them (less than 2 % of the function: omitted)'
  ]
  for (const heavy of shown) lines.push(row(heavy.micros, busyMicros, describeFunction(heavy)), ...callerLines(heavy), '')
  if (shown.length === functions.length) lines.pop()
  else lines.push(row(restMicros, busyMicros, `everything else: functions under 1 % (${functions.length - shown.length})`))
  return lines
}

/** @param {HeavyFrame} heavy */
function callerLines (heavy) {
  /** @type {string[]} */
  const lines = []
  const minMicros = heavy.micros * MIN_SHARE_OF_CALLER
  const waiting = visibleCallers(heavy, { depth: 1, frames: 1 }, minMicros)
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { run, last } = followForeign(next.entry, MAX_STACK_FRAMES - next.frames)
    const frames = next.frames + run.length
    const text = run.length > 1 ? describeRun(run) : nameOf(next.entry.frame)
    const callers = visibleCallers(last, { depth: next.depth + 1, frames }, minMicros)
    const isCut = callers.length > 0 && (next.depth === MAX_CALLER_LEVELS || frames >= MAX_STACK_FRAMES)
    lines.push(row(next.entry.micros, next.parentMicros, `${'  '.repeat(next.depth)}${text}${isCut ? ', and its callers' : ''}`))
    if (!isCut) for (const caller of callers) waiting.push(caller)
  }
  return lines
}

/**
 * @param {HeavyFrame} parent
 * @param {{ depth: number, frames: number }} at  rows below the function, and frames
 * @param {number} minMicros
 */
function visibleCallers (parent, at, minMicros) {
  return callersOf(parent)
    .filter(({ micros }) => micros >= minMicros)
    .map(entry => ({ entry, ...at, parentMicros: parent.micros }))
    .reverse()
}

/**
 * Combines consecutive frames of packages: twenty frames of a framework between two of the application would hide the next function.
 * @param {HeavyFrame} entry
 * @param {number} maxFrames
 * @returns {{ run: Frame[], last: HeavyFrame }} the consecutive frames outside the application that begin here, up to the first branch
 */
function followForeign (entry, maxFrames) {
  const run = [entry.frame]
  let last = entry
  for (let [next] = callersOf(last); next && run.length < maxFrames && isOneRun(last, next); [next] = callersOf(last)) {
    last = next
    run.push(last.frame)
  }
  return { run, last }
}

/** @param {HeavyFrame} callee @param {HeavyFrame} caller  the heaviest */
function isOneRun (callee, caller) {
  const isOnlyCaller = caller.micros > callee.micros * (1 - MIN_SHARE_OF_CALLER)
  return isOnlyCaller && isForeign(callee.frame) && isForeign(caller.frame)
}

/** @param {Frame} frame */
function isForeign ({ origin }) {
  return origin !== 'app'
}

/** @param {Frame[]} run */
function describeRun (run) {
  const owners = new Set(run.map(ownerOf))
  return `(${run.length} frames of ${[...owners].join(', ')})`
}

/** @param {Frame} frame */
function ownerOf ({ origin, file }) {
  if (origin === 'wasm') return 'WebAssembly'
  return origin === 'dependency' ? packageOf(file) : 'node'
}

/**
 * The time by process or thread, in a profile of several: a row for each, with its hottest function.
 * @param {CallTree} root
 * @param {number} busyMicros
 * @param {CpuProfile['processes']} processes
 * @returns {string[]} none if the profile is of one process
 */
function processLines (root, busyMicros, processes) {
  const times = timesByProcess(root)
  if (times.length === 0) return []
  const shown = times.slice(0, MAX_PROCESSES)
  const rest = times.slice(MAX_PROCESSES)
  const width = Math.max(kindOf(processes).length, ...shown.map(({ process }) => process.length))
  const lines = shown.map(one => row(one.busyMicros, busyMicros,
    `${percent(one.busyMicros, one.micros).padStart(7)}  ${one.process.padEnd(width)}  ${hottestOf(root, one.process)}`.trimEnd()))
  if (rest.length > 0) {
    lines.push(row(sum(rest, one => one.busyMicros), busyMicros, `everything else (${rest.length} ${kindsOf(processes)})`))
  }
  return [
    ` [${kindsOf(processes) === 'threads' ? 'Threads' : 'Processes'}]: time by ${kindOf(processes)}; "at work" is the share of its own time in which it was not idle`,
    '',
    `         ms   busy  at work  ${kindOf(processes).padEnd(width)}  the function in which most of it was spent`,
    ...lines
  ]
}

/** @param {CallTree} root @param {string} process */
function hottestOf (root, process) {
  return describeHottest(root, ({ processes }) => sum(processes.get(process)?.values() ?? [], ({ micros }) => micros))
}

/**
 * The time by route: a row for each, with its hottest function.
 * @param {CallTree} root
 * @param {number} busyMicros
 * @returns {string[]} none if the profile has no routes
 */
function routeLines (root, busyMicros) {
  const times = timesByRoute(root).filter(({ micros }) => micros > 0)
  if (times.every(({ route }) => route === null)) return []
  const routes = times.filter(({ route }) => route !== null)
  const shown = [...routes.slice(0, MAX_ROUTES), ...times.filter(({ route }) => route === null)]
  const rest = routes.slice(MAX_ROUTES)
  const width = Math.min(MAX_ROUTE_WIDTH, Math.max(...shown.map(({ route }) => (route ?? NO_ROUTE).length)))
  const lines = shown.map(({ route, micros }) =>
    row(micros, busyMicros, `${(route ?? NO_ROUTE).padEnd(width)}  ${describeHottest(root, tree => tree.routes.get(route)?.micros ?? 0)}`))
  if (rest.length > 0) {
    lines.push(row(sum(rest, ({ micros }) => micros), busyMicros, `everything else (${rest.length} routes)`))
  }
  return [
    ' [Routes]: time by route',
    '',
    `         ms   busy  ${'route'.padEnd(width)}  the function in which most of it was spent`,
    ...lines
  ]
}

/**
 * The hottest function of one part of a profile, as text.
 * @param {CallTree} root
 * @param {(tree: CallTree) => number} microsOf  which of the time spent in a function itself counts
 * @returns {string} empty if no time was spent
 */
function describeHottest (root, microsOf) {
  const [heavy] = bottomUp(root, microsOf)
  if (heavy === undefined) return ''
  const caller = nearestOfApplication(heavy)
  return caller === undefined || caller === heavy ? describeFunction(heavy) : `${nameOf(heavy.frame)}, called by ${nameOf(caller.frame)}`
}

/** @param {number} micros @param {number} ofMicros @param {string} text */
function row (micros, ofMicros, text) {
  return `${inMs(micros)} ${percent(micros, ofMicros)}  ${text}`
}

/** @param {number} micros */
function inMs (micros) {
  return (micros / 1e3).toFixed(1).padStart(11)
}

/** @param {number} micros @param {number} ofMicros */
function percent (micros, ofMicros) {
  return `${(ofMicros > 0 ? 100 * micros / ofMicros : 0).toFixed(1)}%`.padStart(6)
}

/** @param {HeavyFrame} heavy */
function describeFunction (heavy) {
  const { frame } = heavy
  const line = hottestLine(heavy)
  // A line in the code of Node.js does not help: the reader cannot change it.
  const isLineUseful = line !== undefined && line !== (frame.work ?? frame).line && frame.origin !== 'node'
  return isLineUseful ? `${nameOf(frame)}, mostly line ${line}` : nameOf(frame)
}

/** @param {Frame} frame */
function nameOf (frame) {
  if (frame.origin === 'native') return `${frame.name} (native)`
  return `${frame.name} ${placeOf(frame)}`.trimEnd()
}

/**
 * Summarizes a CPU profile in a few short lines, for readers who have not opened the file.
 * @param {CpuProfile} profile
 * @param {Pick<EncodeContext, 'appRoot' | 'lines'>} [context]
 * @returns {string[]} how busy the thread was, then the functions in which it spent that time, hottest first
 */
function hotLines (profile, context = {}) {
  const root = buildCallTree(profile, context)
  const { busy, idle } = summarizeTime(root)
  if (busy + idle === 0) return ['no samples']
  const hot = bottomUp(root).slice(0, MAX_LINES).filter(({ micros }) => micros >= busy * MIN_SHARE)
  return [
    `busy ${percent(busy, busy + idle).trim()} of ${((busy + idle) / 1e6).toFixed(1)} s`,
    ...hot.map(heavy => `${percent(heavy.micros, busy).trim()} ${nameOf(heavy.frame)}${calledBy(heavy)}`)
  ]
}

/**
 * A function of Node.js such as `pbkdf2Sync` is shown with the function of the application that called it most, because that can be changed.
 * @param {HeavyFrame} heavy
 */
function calledBy (heavy) {
  const caller = nearestOfApplication(heavy)
  return caller === undefined || caller === heavy ? '' : `, called by ${nameOf(caller.frame)}`
}

module.exports = { encodeText, hotLines }
