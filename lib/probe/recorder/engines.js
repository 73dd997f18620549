'use strict'

// The table of recorder engines by name, and the inspector's engine. To add an engine, add one file and one row here; test/recorder/engines.test.js
// runs over all rows.
//
// An engine runs on the main thread: open() starts the first window, rotate() opens the next one and then ends the previous one (never zero windows:
// V8 would shut the sampler down, and the next start walks all code again), close() ends the last. An ended window reaches the observer through its
// session, or is returned as a profile to be sent there.

const { inspector } = require('../process/inspector')
const { createBuiltinEngine, hasBuiltinProfiler, takesInterval } = require('./builtin-engine')

/** @import { CpuProfile } from '../../../types/profile' */
/** @import { EngineName } from '../../../types/diagnostics' */
/** @import { SerializedWindow } from './builtin-engine' */

/** @typedef {CpuProfile | SerializedWindow} EndedWindow */
/** @typedef {Exclude<EngineName, 'auto'>} RealEngine */

/**
 * @typedef {object} Engine
 * @property {(title: string) => void} open
 * @property {(nextTitle: string, isSlow?: boolean) => EndedWindow | null} rotate
 * @property {() => EndedWindow | null} close
 */

/**
 * @typedef {object} EngineRow
 * @property {boolean} usesSession  windows reach the observer through its inspector session, and every other session receives them
 * @property {boolean} recordsWorkers  records the thread in which it is opened, also a worker
 * @property {() => boolean} canSlow  rotate() can open a window at a rate of almost no cost, and later one at the full rate at once
 * @property {(options: { hz: number }) => Engine} create
 */

/** @type {Readonly<Record<RealEngine, EngineRow>>} */
const ENGINES = Object.freeze({
  inspector: {
    usesSession: true,
    recordsWorkers: false,
    canSlow: () => false,
    create: createInspectorEngine
  },
  builtin: {
    usesSession: false,
    recordsWorkers: true,
    canSlow: () => takesInterval(),
    create: createBuiltinEngine
  },
  'v8-profiler-next': {
    usesSession: false,
    recordsWorkers: false,
    canSlow: () => false,
    create: options => require('./v8-profiler-engine').createV8ProfilerEngine(options)
  }
})

const REAL_ENGINES = /** @type {RealEngine[]} */ (Object.keys(ENGINES))
/** @type {readonly EngineName[]} */
const ENGINE_NAMES = Object.freeze(['auto', ...REAL_ENGINES])

/**
 * The engines that an option stands for; the first that can record is used.
 * @param {EngineName} option
 * @returns {RealEngine[]}
 */
function enginesOf (option) {
  if (option !== 'auto') return [option]
  if (takesInterval()) return ['builtin']
  return hasBuiltinProfiler() ? ['inspector', 'builtin'] : ['inspector']
}

/**
 * Whether windows may come through the session, without loading what a definite answer needs.
 * @param {EngineName} option
 */
function mayUseSession (option) {
  return option === 'auto' || ENGINES[option].usesSession
}

/**
 * V8's console profiles through the inspector. This is only the main thread's part: the observer's session receives the windows.
 * @returns {Engine}
 */
function createInspectorEngine () {
  const profiler = /** @type {typeof import('node:inspector')} */ (inspector).console
  let open = ''
  return {
    open (title) {
      profiler.profile(title)
      open = title
    },
    rotate (nextTitle) {
      profiler.profile(nextTitle)
      profiler.profileEnd(open)
      open = nextTitle
      return null
    },
    close () {
      if (open !== '') profiler.profileEnd(open)
      open = ''
      return null
    }
  }
}

module.exports = { ENGINES, ENGINE_NAMES, enginesOf, mayUseSession }
