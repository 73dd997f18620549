'use strict'

// One attempt to lock the main thread up by starting V8's CPU profiler: an application whose optimised code makes V8 allocate
// while it holds the lock of its code-event logger, and a heap that is about to be collected. It judges nothing: the parent
// (profiler-start.js) sees it fall silent.

const inspector = require('node:inspector')
const { once } = require('node:events')
const { setImmediate: nextTurn } = require('node:timers/promises')
const v8 = require('node:v8')
const vm = require('node:vm')
const { Worker, isMainThread, parentPort } = require('node:worker_threads')

const INTERVAL_MICROS = 10_000 // 100 Hz, the recorder's rate
const BEAT_MS = 100
const ROTATIONS = 20
const PAIRS_PER_ROTATION = 10
const CHURN_MB_PER_ROTATION = 20 // enough for several collections over all rotations
const BYTES_PER_MB = 1024 * 1024

const say = (said) => process.stdout.write(JSON.stringify(said) + '\n')

/**
 * Two scripts, where optimised code of the first contains the second's function. V8 learns where the second script's lines
 * end when it first names a position in it; if that is while it logs the first function, the table is allocated under the lock.
 * The outer functions are made first, because V8 logs functions in heap order.
 */
function loadApplication (pairs, lines, prefix) {
  const blankLines = '\n'.repeat(lines)
  const load = (name, source) => new vm.Script(source, { filename: `${prefix}-${name}.js` }).runInThisContext()
  const outers = []
  for (let i = 0; i < pairs; i++) outers.push(load(`outer-${i}`, `(function outer${i} (inner, a) { return inner(a) + ${i} })`))
  collectGarbage()
  const inners = []
  // The call inside is needed: without one V8 keeps no position of the inlined code.
  for (let i = 0; i < pairs; i++) inners.push(load(`inner-${i}`, `${blankLines}(function inner${i} (a) { return stringify(a) })`))
  const optimise = load('optimise', `(function (outer, inner) {
    %PrepareFunctionForOptimization(inner); %PrepareFunctionForOptimization(outer);
    outer(inner, 1); outer(inner, 2);
    %OptimizeFunctionOnNextCall(outer); outer(inner, 3) })`)
  for (let i = 0; i < pairs; i++) optimise(outers[i], inners[i])
  return { outers, inners }
}

/** Arrays of numbers in V8's own heap: typed arrays would lie outside of it. */
function holdMegabytes (megabytes) {
  return Array.from({ length: megabytes }, () => new Array(BYTES_PER_MB / 8).fill(0.5))
}

function collectGarbage () {
  globalThis.gc()
}

function setFlag (name) {
  if (name !== 'none') v8.setFlagsFromString(`--${name}`)
}

/** @returns {Promise<Worker>} */
async function startObserver () {
  const observer = new Worker(__filename)
  await once(observer, 'message')
  return observer
}

async function startProfiler (observer, by) {
  const before = process.hrtime.bigint()
  if (by === 'console') {
    inspector.console.profile('0')
  } else {
    observer.postMessage('start')
    await once(observer, 'message')
  }
  return Number(process.hrtime.bigint() - before) / 1e6
}

/** Windows as the recorder turns them: the next one starts before the last one ends. New code and garbage come in between. */
async function rotateWindows ({ lines }, kept) {
  for (let window = 0; window < ROTATIONS; window++) {
    kept.push(loadApplication(PAIRS_PER_ROTATION, lines, `window-${window}`))
    holdMegabytes(CHURN_MB_PER_ROTATION)
    inspector.console.profile(String(window + 1))
    inspector.console.profileEnd(String(window))
    await nextTurn() // lets the heartbeat out
  }
}

async function main (settings) {
  setInterval(() => say({}), BEAT_MS)
  v8.setFlagsFromString('--allow-natives-syntax') // optimised on demand: the run does not depend on V8's own choice
  v8.setFlagsFromString('--expose-gc')
  globalThis.gc = vm.runInNewContext('gc')
  globalThis.stringify = JSON.stringify
  if (settings.preventAt === 'boot') setFlag(settings.prevent)
  const observer = await startObserver()
  if (settings.moment === 'warm') say({ at: 'warm start', startMs: await startProfiler(observer, settings.start) })

  say({ at: 'load' })
  const kept = [loadApplication(settings.pairs, settings.lines, 'application')]
  collectGarbage() // fixes the next collection at a size not far above the present one
  kept.push(holdMegabytes(settings.ballastMb))
  if (settings.preventAt === 'start') setFlag(settings.prevent)
  say({ at: 'start' })
  await nextTurn()
  if (settings.moment === 'cold') say({ startMs: await startProfiler(observer, settings.start) })
  say({ at: 'rotations' })
  if (settings.start === 'console') await rotateWindows(settings, kept)
  process.exit(0)
}

function observe () {
  const session = new inspector.Session()
  session.connectToMainThread()
  session.post('Profiler.enable')
  session.post('Profiler.setSamplingInterval', { interval: INTERVAL_MICROS }, () => parentPort.postMessage('ready'))
  parentPort.on('message', () => session.post('Profiler.start', () => parentPort.postMessage('started')))
}

if (isMainThread) main(JSON.parse(process.argv[2]))
else observe()
