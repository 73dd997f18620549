'use strict'

// Reports of comparisons, made by hand.

function change (name, facts) {
  return { key: `,${name}`, name, newCount: 0, deletedCount: 0, allocatedBytes: 0, freedBytes: 0, grownCount: 0, grownBytes: 0, retainedDeltaBytes: 0, isNoise: false, ...facts }
}

function makeReport () {
  const place = { file: '/srv/shop/auth.js', line: 12 }
  const suspects = [{
    name: 'sessions',
    className: 'Map',
    place,
    objects: 1,
    growthBytes: 118.2e6,
    keptBytes: 120e6,
    share: 118.2 / 125.4,
    holds: [{ name: 'Session', count: 40_000, bytes: 118e6, place: { file: '/srv/shop/session.js', line: 3 } }],
    functions: [{ place, count: 40_000 }],
    newObjects: 200_000,
    path: [
      { by: 'property', name: 'exports', className: 'Function', node: 5, place },
      { by: 'variable', name: 'sessions', className: 'Map', node: 7, place: null }
    ],
    signature: '0123456789ab',
    what: 'a cache without a limit',
    patterns: ['Entries are added and never removed.'],
    confidence: 'medium',
    reasons: ['two snapshots cannot distinguish a leak from a cache that is still filling: take a third']
  }]
  return {
    type: 'loopscope-heap-comparison',
    version: 1,
    headline: 'Heap 44.6 → 170.0 MB. `sessions` (Map in auth.js:12) explains 118.2 MB (94 %)',
    snapshots: [{ file: 'before.heapsnapshot', heapBytes: 44.6e6, takenAt: 1e12 }, { file: 'after.heapsnapshot', heapBytes: 170e6, takenAt: null }],
    incomparable: null,
    balance: { heapDeltaBytes: 125.4e6, sizeDeltaBytes: 88e6, survivorGrowthBytes: 37.4e6, otherBytes: 0 },
    codeGrowthBytes: 300_000,
    classes: [
      change('Session', { newCount: 40_000, deletedCount: 1000, allocatedBytes: 90e6, freedBytes: 2e6, retainedDeltaBytes: 118e6 }),
      change('Map', { grownCount: 1, grownBytes: 37.4e6, retainedDeltaBytes: 118.2e6 }),
      change('Gone', { deletedCount: 3, freedBytes: 300, retainedDeltaBytes: -300 }),
      change('(compiled code)', { newCount: 500, allocatedBytes: 300_000, isNoise: true })
    ],
    suspects
  }
}

const HOSTILE = '</script><script>alert(1)</script><img src=x onerror=x>\u001b[31m\n"\'&'

/** Every text that an application can choose, chosen badly. */
function hostileReport () {
  const report = makeReport()
  const place = { file: HOSTILE, line: 1 }
  const [suspect] = report.suspects
  return {
    ...report,
    headline: HOSTILE.replaceAll(/\p{Cc}/gu, ''),
    classes: [{ ...report.classes[0], name: HOSTILE }],
    suspects: [{
      ...suspect,
      name: HOSTILE,
      className: HOSTILE,
      place,
      holds: [{ name: HOSTILE, count: 1, bytes: 1, place }],
      functions: [{ place, count: 1 }],
      path: [{ by: 'property', name: HOSTILE, className: HOSTILE, node: 1, place }]
    }]
  }
}

module.exports = { makeReport, hostileReport }
