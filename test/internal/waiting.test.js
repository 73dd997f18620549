'use strict'

// Waiting is counted by the monotonic clock: people and daemons set the time of day.

const test = require('node:test')
const assert = require('node:assert/strict')
const { listFiles, readProject } = require('./project')

// Where the time of day is read, and what for. A new file belongs here only when people are told the time, or a time comes from outside.
const TIME_OF_DAY = new Map([
  ['lib/page/dashboard/session.js', 'shown to people'],
  ['lib/page/sections/captures.js', 'shown to people'],
  ['lib/page/sections/now.js', 'shown to people'],
  ['lib/page/sections/range.js', 'shown to people'],
  ['lib/observer/admin/jobs.js', 'when a capture began and ended'],
  ['lib/observer/admin/routes/profiles.js', 'from and to are times of day'],
  ['lib/observer/admin/routes/group.js', 'from and to are times of day, and when the group had answered'],
  ['lib/shared/group/group-answers.js', 'when it was answered'],
  ['lib/observer/group/group-profiles.js', 'from and to are times of day, and when a recording began and ended'],
  ['lib/observer/admin/routes/live.js', 'when the loop got stuck'],
  ['lib/observer/admin/routes/pprof.js', 'time_nanos of a profile'],
  ['lib/observer/admin/routes/readings.js', 'from and to are times of day, and what time it is now'],
  ['lib/observer/captures.js', 'the name of an artifact'],
  ['lib/cli/commands/profile.js', 'when a recording began'],
  ['lib/cli/commands/heap.js', 'when an archive was made'],
  ['lib/cli/bench/measure.js', 'when it was measured, and from and to are times of day'],
  ['lib/cli/output/destination.js', 'the name of a file'],
  ['lib/cli/output/display.js', 'which day is today'],
  ['lib/shared/marks.js', 'when it was set'],
  ['lib/shared/default-logger.js', 'the time of a line'],
  ['lib/shared/clock.js', 'it is a clock of the time of day'],
  ['lib/observer/heap/histogram.js', 'when it was taken'],
  ['lib/observer/egress/destination.js', 'when an item was made, for the next process'],
  ['lib/observer/egress/egress.js', 'the age of a folder'],
  ['lib/observer/egress/queue.js', 'the age of an item'],
  ['lib/observer/egress/send-request.js', 'a date of a server'],
  ['lib/observer/heap/near-limit.js', 'the name of an artifact'],
  ['lib/observer/heap/sampler.js', 'when sampling began'],
  ['lib/observer/memory/memory-watch.js', 'when the memory was read'],
  ['lib/observer/memory/sites/site-watch.js', 'when sampling began and ended'],
  ['lib/observer/memory/memory-report.js', 'when it was written'],
  ['lib/observer/heap/snapshot/snapshot-run.js', 'the name of an artifact'],
  ['lib/api/pm2/pm2-link.js', 'when it was answered, and stalls have times of day'],
  ['lib/probe/heap/take-snapshot.js', 'when it was taken'],
  ['lib/base/monotonic.js', 'ties the two together'],
  ['lib/observer/admin/admin-sources.js', 'from and to are times of day'],
  ['lib/observer/findings/findings.js', 'when it was answered, and from and to are times of day'],
  ['lib/observer/rules/readings.js', 'when it was, and stalls have times of day'],
  ['lib/observer/rules/rules.js', 'stalls have times of day'],
  ['lib/observer/stalls/stall-records.js', 'when it was'],
  ['lib/link/main-client.js', 'when it was answered'],
  ['lib/observer/store/store.js', 'files have times of day']
])

/** Without comments and strings. */
const codeOf = file => readProject(file).replace(/\/\*[\s\S]*?\*\/|\/\/ .*$|'[^'\n]*'|`[^`]*`/gm, '')

test('the time of day is read only where it is shown to people, or comes from outside', () => {
  const files = listFiles('lib').filter(file => file.endsWith('.js') && /\bDate\.now\b/.test(codeOf(file)))
  assert.deepEqual(files.sort(), [...TIME_OF_DAY.keys()].sort())
})
