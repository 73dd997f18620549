'use strict'

// Records CPU profiles of all worker threads over the same time, from now on: threads have no recorder with a past. Each profiler starts cold, in
// its thread, and ends with the recording, however that ends.

const { errors } = require('../../base/errors')
const { sleepUnless } = require('../recorder/views')
const { createSourceLines } = require('../stalls/culprit/source-lines')
const { withIdleWaits } = require('./idle-waits')

/** @import { CpuProfile } from '../../../types/profile' */
/** @import { ThreadSession, ThreadSessions } from './thread-sessions' */

const INTERVAL_MICROS = 10_000 // the same as the recorder's
// A thread pool may replace its threads all the time.
const MAX_THREADS = 64

/**
 * @typedef {{ name: string, profile: CpuProfile }} ThreadProfile
 * @typedef {{ profiles: ThreadProfile[], notes: string[] }} ThreadRecording  notes: the threads of which something is missing
 */

/** @param {Pick<ThreadSessions, 'open'>} sessions */
function createThreadRecorder (sessions) {
  let isRecording = false

  /**
   * @param {number} ms
   * @param {AbortSignal} [signal]  cancels it
   * @param {AbortSignal} [stop]    ends it now and keeps what was recorded
   * @returns {Promise<ThreadRecording>}
   */
  async function record (ms, signal, stop) {
    if (isRecording) throw new errors.ERR_LOOPSCOPE_THREADS_BUSY()
    isRecording = true
    try {
      return await recordAll(sessions, ms, { signal, stop })
    } finally {
      isRecording = false
    }
  }

  return { record }
}

/**
 * @param {Pick<ThreadSessions, 'open'>} all
 * @param {number} ms
 * @param {{ signal?: AbortSignal, stop?: AbortSignal }} ends
 * @returns {Promise<ThreadRecording>}
 */
async function recordAll (all, ms, { signal, stop }) {
  /** @type {{ thread: ThreadSession, started: Promise<string | null> }[]} */
  const recorded = []
  let tooMany = 0
  let isFinished = false
  const sessions = await all.open(thread => {
    if (recorded.filter(one => !one.thread.hasEnded).length >= MAX_THREADS) tooMany++
    else recorded.push({ thread, started: start(thread).then(() => null, error => error.message) })
  })
  try {
    await sleepUnless(ms, signal, stop)
    const source = createSourceLines({ appRoot: '/' }) // threads have absolute file paths
    const ended = await Promise.all(recorded.map(async ({ thread, started }) => ({ thread, ...await finish(thread, await started) })))
    isFinished = true
    return {
      profiles: ended.flatMap(({ thread: { name }, profile }) => profile === null ? [] : [{ name, profile: withIdleWaits(profile, source) }]),
      notes: notesOf(ended, tooMany)
    }
  } finally {
    if (!isFinished) for (const { thread } of recorded) thread.post('Profiler.stop').catch(() => {}) // others may still use its session
    await sessions.close()
  }
}

/** @param {ThreadSession} thread */
async function start (thread) {
  await thread.post('Profiler.enable')
  await thread.post('Profiler.setSamplingInterval', { interval: INTERVAL_MICROS }).catch(() => {}) // a thread that is already watched keeps its interval
  await thread.post('Profiler.start')
}

/**
 * @param {ThreadSession} thread
 * @param {string | null} problem  the error when its profiler started
 * @returns {Promise<{ profile: CpuProfile | null, problem: string | null }>}
 */
async function finish (thread, problem) {
  if (problem !== null) return { profile: null, problem }
  return thread.post('Profiler.stop').then(({ profile }) => ({ profile, problem: null }), error => ({ profile: null, problem: error.message }))
}

/** @param {{ thread: ThreadSession, problem: string | null }[]} ended @param {number} tooMany */
function notesOf (ended, tooMany) {
  const gone = ended.filter(({ thread, problem }) => problem !== null && thread.hasEnded)
  const silent = ended.filter(({ thread, problem }) => problem !== null && !thread.hasEnded)
  return [
    ...gone.length === 0 ? [] : [`${gone.length} of ${ended.length} worker threads ended meanwhile, and what ran in them is not in it: ${namesOf(gone)}`],
    ...silent.map(({ thread, problem }) => `nothing of ${thread.name}: ${problem}`),
    ...tooMany === 0 ? [] : [`${tooMany} more worker threads were not recorded: ${MAX_THREADS} at once`]
  ]
}

/** @param {{ thread: ThreadSession }[]} some */
function namesOf (some) {
  const names = some.slice(0, 3).map(({ thread }) => thread.name)
  return some.length > names.length ? `${names.join(', ')} and others` : names.join(', ')
}

module.exports = { createThreadRecorder }
