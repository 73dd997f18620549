'use strict'

// What can record, by name, and the built-in one. Adding an engine is one file and one row here; test/recorder/engines.test.js runs over all
// rows.
//
// An engine lives on the main thread: open() starts the first window, rotate() opens the next one and then ends the one
// before (never zero windows: V8 would tear the sampler down and the next start walks all code again), close() ends the
// last. What it ends reaches the observer through the session, or is returned as a profile to be sent there.

const { inspector } = require('../process/inspector')

/** @import { CpuProfile } from '../../../types/profile' */
/** @import { EngineName } from '../../../types/diagnostics' */

/**
 * @typedef {object} Engine
 * @property {(title: string) => void} open
 * @property {(nextTitle: string) => CpuProfile | null} rotate
 * @property {() => CpuProfile | null} close
 */

/**
 * @typedef {object} EngineRow
 * @property {boolean} usesSession  windows reach the observer through its inspector session
 * @property {(options: { hz: number }) => Engine} create
 */

/** @type {Readonly<Record<EngineName, EngineRow>>} */
const ENGINES = Object.freeze({
  inspector: {
    usesSession: true,
    create: createInspectorEngine
  },
  'v8-profiler-next': {
    usesSession: false,
    create: options => require('./v8-profiler-engine').createV8ProfilerEngine(options)
  }
})

/**
 * The default engine: V8's console profiles through the inspector. Only the main thread's half: the observer's session receives the windows.
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

module.exports = { ENGINES }
