'use strict'

// How far a heap snapshot has come, for whoever waits for it; and, while the main thread writes it and cannot say, the size of
// the file and the memory of the process as seen from outside of it.

const fs = require('node:fs')
const { guarded } = require('../../../shared/base/guard')
const { monotonicMs } = require('../../../shared/base/monotonic')
const { clearInterval, setInterval } = require('../../../shared/base/timers')
const { residentBytes } = require('../../../shared/system/resident-bytes')

/** @typedef {'estimating' | 'writing' | 'verifying' | 'redacting'} SnapshotStage */
/** @typedef {(progress: { stage: SnapshotStage, bytes: number }) => void} ReportProgress */

const REPORT_EVERY_MS = 250 // often enough to see it move
const LOOK_EVERY_MS = 25 // the memory at its peak lasts a few hundred milliseconds: the file is written then

/** @param {ReportProgress} onProgress */
function createProgress (onProgress) {
  /** @type {SnapshotStage} */
  let current = 'estimating'
  let isOver = false
  let reportedMs = -Infinity

  /** @param {number} bytes */
  function report (bytes) {
    reportedMs = monotonicMs()
    if (!isOver) onProgress({ stage: current, bytes })
  }

  return {
    /** @param {SnapshotStage} stage */
    stage (stage) {
      current = stage
      report(0)
    },
    /** @param {number} bytes */
    bytes (bytes) {
      if (monotonicMs() - reportedMs >= REPORT_EVERY_MS) report(bytes)
    },
    end () {
      isOver = true
    }
  }
}

/**
 * @param {string} file
 * @param {ReturnType<typeof createProgress>} progress
 */
function watchWriting (file, progress) {
  const watch = { peakRssBytes: 0, stop: () => clearInterval(timer) }
  const timer = setInterval(guarded(look), LOOK_EVERY_MS).unref()
  progress.stage('writing')

  function look () {
    watch.peakRssBytes = Math.max(watch.peakRssBytes, residentBytes() ?? 0)
    progress.bytes(fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0)
  }
  return watch
}

module.exports = { createProgress, watchWriting }
