'use strict'

// Waiting is counted by the monotonic clock: people and daemons set the time of day.

const test = require('node:test')
const assert = require('node:assert/strict')
const { listFiles, readProject } = require('./project')

// Where the time of day is read, and what for. A new file belongs here only when people are told the time, or a time comes from outside.
const TIME_OF_DAY = new Map([
  ['lib/admin/dashboard/page/captures.js', 'shown to people'],
  ['lib/admin/dashboard/page/page.js', 'shown to people'],
  ['lib/admin/jobs.js', 'when a capture began and ended'],
  ['lib/admin/routes/cpu.js', 'from and to are times of day'],
  ['lib/admin/routes/live.js', 'when the loop got stuck'],
  ['lib/admin/routes/pprof.js', 'time_nanos of a profile'],
  ['lib/admin/routes/readings.js', 'from and to are times of day'],
  ['lib/capture/captures.js', 'the name of an artifact'],
  ['lib/cli/commands/profile.js', 'when a recording began'],
  ['lib/cli/output-file.js', 'the name of a file'],
  ['lib/clock.js', 'it is a clock of the time of day'],
  ['lib/heap/histogram.js', 'when it was taken'],
  ['lib/heap/near-limit-watch.js', 'the name of an artifact'],
  ['lib/heap/sampler.js', 'when sampling began'],
  ['lib/heap/snapshot-job.js', 'the name of an artifact'],
  ['lib/heap/take-snapshot.js', 'when it was taken'],
  ['lib/internal/monotonic.js', 'ties the two together'],
  ['lib/observer/admin-sources.js', 'from and to are times of day'],
  ['lib/observer/loop-series.js', 'when it was'],
  ['lib/observer/main-thread.js', 'when it was answered'],
  ['lib/store/store.js', 'files have times of day']
])

/** Without comments and strings. */
const codeOf = file => readProject(file).replace(/\/\*[\s\S]*?\*\/|\/\/ .*$|'[^'\n]*'|`[^`]*`/gm, '')

test('the time of day is read only where it is told to people, or comes from outside', () => {
  const files = listFiles('lib').filter(file => file.endsWith('.js') && /\bDate\.now\b/.test(codeOf(file)))
  assert.deepEqual(files.sort(), [...TIME_OF_DAY.keys()])
})
