'use strict'

// What can record, by name, and the engine of the inspector. Adding an engine is one file and one row here; test/recorder/engines.test.js runs
// over all rows.
//
// An engine lives on the main thread: open() starts the first window, rotate() opens the next one and then ends the one
// before (never zero windows: V8 would tear the sampler down and the next start walks all code again), close() ends the
// last. What it ends reaches the observer through the session, or is returned as a profile to be sent there.

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
 * @property {boolean} usesSession  windows reach the observer through its inspector session, and every other session sees them
 * @property {boolean} recordsWorkers  the thread in which it is opened, whichever that is
 * @property {() => boolean} canSlow  rotate() can open a window at a rate that costs nothing, and later one at the full rate at once
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
 * What an option stands for: the first that can record at a moment does.
 * @param {EngineName} option
 * @returns {RealEngine[]}
 */
function enginesOf (option) {
  if (option !== 'auto') return [option]
  if (takesInterval()) return ['builtin']
  return hasBuiltinProfiler() ? ['inspector', 'builtin'] : ['inspector']
}

/**
 * Whether windows may come through the session, without loading what would tell for sure.
 * @param {EngineName} option
 */
function mayUseSession (option) {
  return option === 'auto' || ENGINES[option].usesSession
}

/**
 * V8's console profiles through the inspector. Only the main thread's half: the observer's session receives the windows.
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
