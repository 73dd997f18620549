'use strict'

// Run by large-profiles.slow.test.js in a process of its own, which it can end: all that is made of a profile, of one large one of each shape.

const { diffHeapProfiles, diffProfiles } = require('../../lib/formats/differences')
const { encodeFlameGraphDifference } = require('../../lib/formats/flamegraph')
const { FORMATS, HEAP_FORMATS } = require('../../lib/formats/formats')
const { HeapMerging, mergeProfiles } = require('../../lib/formats/merge-profiles')
const { onlyRoute } = require('../../lib/formats/profile/only-route')
const { withoutOwnFrames } = require('../../lib/formats/profile/own-frames')
const { hotLines } = require('../../lib/formats/text')
const { largeCpuProfile, largeHeapProfile } = require('./large-profiles')

const [, , count, ...shapes] = process.argv

for (const shape of shapes) {
  const cpu = largeCpuProfile(shape, Number(count))
  for (const { encode } of Object.values(FORMATS)) encode(cpu)
  FORMATS.text.encode(onlyRoute(cpu, 'GET /a').profile)
  encodeFlameGraphDifference(cpu, cpu)
  diffProfiles(cpu, cpu)
  hotLines(withoutOwnFrames(mergeProfiles([{ process: '1', profile: cpu }])))
  const heap = largeHeapProfile(shape, Number(count))
  for (const before of [null, heap]) {
    for (const { encode } of Object.values(HEAP_FORMATS)) encode({ profile: heap, before, mode: 'live', fromMs: 0, toMs: 1000 })
  }
  diffHeapProfiles(heap, heap)
  const merging = new HeapMerging()
  merging.add({ process: '1', profile: heap })
  HEAP_FORMATS.heapprofile.encode({ profile: merging.result(), before: null, mode: 'live', fromMs: 0, toMs: 1000 })
}
