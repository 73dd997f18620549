'use strict'

// Sick processes, one fault each, and healthy ones: the application, the load, and what is true of it. The line is where the comment
// `// finding: <name>` stands; where there is none the fault has no line.
//
//   load: connections that ask one after the other, and a pause of each between two requests
//   beside: another finding that is as true of it; which of the two is worse depends on the machine
//   loadedMs: how long, if not the usual time
//   mayOpen: how many files, if not as many as usual
//   then: what is done to the process when the load runs; see sick.js

/** Of most: a few people who ask as fast as they are answered. */
const BUSY = { connections: 4, pauseMs: 5 }
/** A service with room. */
const CALM = { connections: 4, pauseMs: 60 }
/** Requests that wait: more at a time than one after the other. */
const WAITING = { connections: 12, pauseMs: 10 }

/** Of requests that wait. */
const WAITING_FAULTS = new Set(['slow-elsewhere', 'lock-wait', 'timer-wait', 'no-keep-alive', 'slow-dns', 'hanging-requests', 'serial-awaits'])

const SICK = [
  { name: 'pbkdf2-sync', id: 'hot-sync-call', load: BUSY, text: /crypto\.pbkdf2Sync/ },
  { name: 'read-file-sync', id: 'hot-sync-call', load: BUSY, text: /fs\.readFileSync/ },
  { name: 'gzip-sync', id: 'hot-sync-call', load: BUSY, text: /zlib\./ },
  { name: 'exec-sync', id: 'hot-sync-call', load: BUSY, text: /child_process\./ },
  { name: 'scrypt-timer', id: 'hot-sync-call', load: CALM, text: /crypto\.scryptSync/ },
  { name: 'json-stringify', id: 'hot-json', load: BUSY, text: /JSON\.stringify/ },
  { name: 'json-parse', id: 'hot-json', load: BUSY, text: /JSON\.parse/ },
  { name: 'express-json', id: 'hot-json', load: { ...BUSY, path: '/rows' }, text: /JSON\.stringify/ },
  { name: 'backtracking', id: 'hot-function', load: BUSY, text: /checkName/ },
  { name: 'nested-loops', id: 'hot-function', load: BUSY, text: /closestPair/ },
  { name: 'large-sort', id: 'hot-function', load: BUSY, text: /sort/i },
  { name: 'endless', id: 'hot-function', load: CALM, text: /blocked right now/ },
  { name: 'dependency', id: 'hot-dependency', load: BUSY, text: /acorn/ },
  { name: 'logging', id: 'hot-logging', load: BUSY, text: /Logging held the loop/ },
  { name: 'clock', id: 'hot-clock', load: BUSY, text: /clock/ },
  { name: 'small-writes', id: 'socket-writes', load: { connections: 4, pauseMs: 0 }, text: /next \(.*small-writes\.js:\d+\), about/ },
  { name: 'new-connections', id: 'socket-connects', load: { connections: 4, pauseMs: 0 }, text: /opening connections/ },
  { name: 'short-turns', id: 'many-short-turns', load: { connections: 16, pauseMs: 0 }, text: /full/ },
  { name: 'formatters', id: 'hot-function', load: BUSY, text: /Intl\.NumberFormat, called in toMoney/ },
  { name: 'microtasks', id: 'task-flood', load: BUSY, text: /settle/ },
  { name: 'next-ticks', id: 'task-flood', load: BUSY, text: /drain/ },
  { name: 'await-replace', id: 'hot-function', load: BUSY, text: /String\.replace \(regular expression\), called in showComment/ },
  { name: 'await-end', id: 'hot-function', load: CALM, text: /end\(\) of a response or stream, called in download/ },
  { name: 'garbage', id: 'gc-pressure', beside: 'hot-function', load: BUSY, text: /collector/ },
  { name: 'leak', id: 'heap-grows', load: BUSY, flags: ['--max-old-space-size=200'], text: /heap/ },
  { name: 'kept-buffers', id: 'buffers-grow', beside: 'hot-function', load: CALM, text: /outside the heap grows: Buffers/ },
  { name: 'open-files', id: 'open-files', load: CALM, mayOpen: 256, text: /^2\d\d files and sockets are open, of 256 that may be.* By their kind: 2\d\d files/ },
  { name: 'full-pool', id: 'pool-full', load: { connections: 30, pauseMs: 0 }, env: { UV_THREADPOOL_SIZE: '2' }, text: /2 threads/ },
  { name: 'neighbours', app: 'steady', id: 'starved', load: CALM, then: 'crowd', text: /CPU contention/ },
  { name: 'suspended', app: 'healthy-hello', id: 'suspended', load: CALM, then: 'suspend', text: /suspended/ },
  { name: 'slow-start', id: 'start-up', load: CALM, text: /Startup/ },
  { name: 'thread-pool', id: 'busy-threads', load: { connections: 8, pauseMs: 0 }, text: /of a CPU, while the main loop/ },
  { name: 'slow-database', id: 'slow-elsewhere', load: { connections: 8, pauseMs: 0 }, text: /event loop is not the cause/ },
  { name: 'lock', id: 'lock-wait', load: WAITING, text: /for a lock or queue of the application, at withLock \(.*lock\.js:9\).*withLock \(.*lock\.js:13\)/ },
  { name: 'pause', id: 'timer-wait', load: WAITING, text: /waits for a timer 9\d % of its time.*order \(.*pause\.js:6\)/ },
  { name: 'retries', id: 'timer-wait', load: WAITING, text: /between attempts: http GET 127\.0\.0\.1:\d+ fails.*prices \(.*retries\.js:11\)/ },
  { name: 'no-keep-alive', id: 'no-keep-alive', load: WAITING, text: /each http call opens a new one.*order \(.*no-keep-alive\.js:11\)/ },
  { name: 'slow-dns', id: 'slow-dns', load: WAITING, text: /looking up localhost takes (8|9)\d ms.*order \(.*slow-dns\.js:17\)/ },
  { name: 'leaked-connection', id: 'hanging-requests', load: { ...WAITING, timeoutMs: 1000 }, loadedMs: 20_000, text: /hang: .*They wait at order \(.*leaked-connection\.js:18\), and it does not come/ },
  { name: 'forgotten-answer', id: 'hanging-requests', load: WAITING, loadedMs: 20_000, text: /hang: .*None of their functions awaits anything any more/ },
  { name: 'serial-awaits', id: 'serial-awaits', beside: 'nothing-wrong', load: WAITING, text: /awaits 3 times in a row in order/ }
]

const HEALTHY = [
  { name: 'idle', app: 'healthy-hello', load: null },
  { name: 'healthy-hello', load: CALM },
  { name: 'healthy-api', load: { connections: 4, pauseMs: 20, path: '/items' } },
  { name: 'healthy-files', load: CALM },
  { name: 'healthy-crypto', load: CALM },
  { name: 'healthy-worker', load: CALM },
  { name: 'healthy-upstream', load: WAITING },
  { name: 'healthy-pool', load: WAITING },
  { name: 'healthy-timers', load: WAITING }
]

module.exports = { HEALTHY, SICK, WAITING_FAULTS }
