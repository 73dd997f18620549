'use strict'

// Views of the recorder's windows, with the worker threads in them where they are wanted: one profile, each of whose samples says its thread.

const { monotonicMicros } = require('../../shared/base/monotonic')
const { mergeProfiles } = require('../../shared/formats/merging/merge-profiles')

/** @import { View } from '../recorder/views' */
/** @import { ThreadRecording } from './thread-recorder' */

const MAIN = 'main thread'

/**
 * @typedef {{ fromMicros: number, toMicros: number, threads?: boolean }} Wanted  threads: from now on, whatever fromMicros says
 * @typedef {(wanted: Wanted, signal?: AbortSignal, stop?: AbortSignal) => Promise<View>} TakeView
 */

/**
 * @param {{ view: TakeView }} views
 * @param {{ record (ms: number, signal?: AbortSignal, stop?: AbortSignal): Promise<ThreadRecording> }} threads
 * @returns {{ view: TakeView }}
 */
function withThreads (views, threads) {
  /** @type {TakeView} */
  async function view (wanted, signal, stop) {
    if (!wanted.threads) return views.view(wanted, signal, stop)
    const failed = new AbortController() // one without the other is nothing
    const until = signal === undefined ? failed.signal : AbortSignal.any([signal, failed.signal])
    /** @type {{ error: unknown } | undefined} */
    let first
    const both = [threads.record((wanted.toMicros - monotonicMicros()) / 1e3, until, stop), views.view(wanted, until, stop)]
    for (const one of both) {
      one.catch(error => {
        first ??= { error } // the other is only given up for it
        failed.abort()
      })
    }
    await Promise.allSettled(both)
    if (first !== undefined) throw first.error
    const [recording, main] = /** @type {[ThreadRecording, View]} */ (await Promise.all(both))
    return merged(main, recording)
  }
  return { view }
}

/**
 * @param {View} main
 * @param {ThreadRecording} recording
 * @returns {View}
 */
function merged (main, { profiles, notes }) {
  const parts = [{ process: MAIN, profile: main.profile }, ...profiles.map(({ name, profile }) => ({ process: name, profile }))]
  const none = profiles.length === 0 && notes.length === 0 ? ['there are no worker threads'] : []
  return { ...main, profile: mergeProfiles(parts, { of: 'thread' }), notes: [...notes, ...none] }
}

module.exports = { withThreads }
