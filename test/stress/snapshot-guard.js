'use strict'

// Heap snapshots in a memory group of the kernel: 30 heaps of 20 to 300 MB, in six shapes. Each must be captured, or refused
// with the numbers; none may be killed. Run as root on Linux: node test/stress/snapshot-guard.js [megabytes of the group]

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { createMemoryGroup, runSnapshotApp } = require('../heap/snapshot-app')

const SHAPES = ['objects', 'closures', 'strings', 'map', 'one array', 'weak map']
const MEGABYTES = [20, 35, 60, 130, 300]
const MAX_HEAP_SHARE = 0.88 // of the group, for V8: a heap that does not fit ends the process without our help

async function main () {
  const limitMegabytes = Number(process.argv[2] ?? 512)
  const group = createMemoryGroup(limitMegabytes)
  if (group.folder === undefined) return console.log(group.reason)
  const counts = { captured: 0, refused: 0, killed: 0, unexplained: 0 }
  try {
    for (const megabytes of MEGABYTES) {
      for (const shape of SHAPES) counts[await tryOne(group.folder, { megabytes, shape }, limitMegabytes)]++
    }
  } finally {
    await group.remove()
  }
  console.log(counts)
  if (counts.killed + counts.unexplained > 0) process.exitCode = 1
}

/**
 * @param {string} group
 * @param {{ megabytes: number, shape: string }} heap
 * @param {number} limitMegabytes
 */
async function tryOne (group, heap, limitMegabytes) {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'loopscope-test-'))
  const maxHeapMegabytes = Math.round(limitMegabytes * MAX_HEAP_SHARE)
  const { outcomes, signal } = await runSnapshotApp({ ...heap, dir: path.join(dir, 'captures') }, { group, maxHeapMegabytes })
  fs.rmSync(dir, { recursive: true })
  const [outcome, text] = judge(outcomes?.[0], signal)
  console.log(`${heap.megabytes} MB ${heap.shape}: ${outcome}, ${text}`)
  return outcome
}

/**
 * @param {{ taken?: { metadata: any }, code?: string, message?: string } | undefined} outcome
 * @param {string | null} signal
 * @returns {['captured' | 'refused' | 'killed' | 'unexplained', string]}
 */
function judge (outcome, signal) {
  if (outcome === undefined) return ['killed', String(signal)]
  if (outcome.code === 'ERR_LOOPSCOPE_SNAPSHOT_REFUSED') return ['refused', String(outcome.message).replace(/ \(.*/, '')]
  if (outcome.taken === undefined) return ['unexplained', String(outcome.message)]
  const { rssBeforeBytes, peakRssBytes, estimated, pauseMs } = outcome.taken.metadata
  const showMb = (/** @type {number} */ bytes) => `${Math.round(bytes / 1e6)} MB`
  return ['captured', `took ${showMb(peakRssBytes - rssBeforeBytes)} of ${showMb(estimated.memoryBytes)}, ${pauseMs} of ${estimated.pauseMs} ms`]
}

main()
