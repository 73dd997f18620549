'use strict'

// What can record, by name. Adding an engine is one file and one row here; test/recorder/engines.test.js runs over all rows.
//
// An engine lives on the main thread: open() starts the first window, rotate() opens the next one and then ends the one
// before (never zero windows: V8 would tear the sampler down and the next start walks all code again), close() ends the
// last. What it ends reaches the observer through the session, or is returned as a profile to be sent there.

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
    create: () => require('./inspector-engine').createInspectorEngine()
  },
  'v8-profiler-next': {
    usesSession: false,
    create: options => require('./v8-profiler-engine').createV8ProfilerEngine(options)
  }
})

module.exports = { ENGINES }
