'use strict'

// libuv's thread pool has more to do than threads: asynchronous work of fs, crypto, zlib and dns.lookup queues there, unseen by the loop.

const { makeFinding } = require('../finding')
const { observedMsOf } = require('../readings')
const { duration, times } = require('../words')

/** @import { Rule } from '../finding' */

// The probe asks once a second of work: the second time it is no chance.
const MIN_QUEUED = 2
// What of the kinds of Node's resources is work of the pool.
const POOL_WORK = /^(FS|.*Job$|GetAddrInfo|GetNameInfo|Zlib|Brotli|Zstd|RandomBytes|PBKDF2|Scrypt)/i
const LOOKUP = /^Get(Addr|Name)Info/i
const PROBE_MS = 1000
// A backup or a start-up that fills the pool once is over soon.
const MIN_SHARE = 0.1
const DEFAULT_SIZE = 4

/** @type {Rule} */
module.exports = {
  ids: ['pool-full'],
  explains: ['slow-elsewhere'],
  find (readings) {
    const { process, pool: { queued, maxWaitMs } } = readings
    const observedMs = observedMsOf(readings)
    if (queued < MIN_QUEUED || queued * PROBE_MS < observedMs * MIN_SHARE) return []
    const size = process?.poolSize ?? DEFAULT_SIZE
    const work = Object.entries(process?.waitsFor ?? {}).filter(([kind]) => POOL_WORK.test(kind)).sort(([, left], [, right]) => right - left)
    const queues = work.map(([kind, count]) => `${count} ${LOOKUP.test(kind) ? `DNS (${kind})` : kind}`).join(', ')
    const isLookup = work.length > 0 && LOOKUP.test(work[0][0])
    const share = Math.min(1, queued * PROBE_MS / Math.max(PROBE_MS, observedMs))
    return [makeFinding(readings, {
      id: 'pool-full',
      title: `libuv's thread pool is full: work waits for one of its ${times(size, 'thread')}, up to ${duration(maxWaitMs)}.`,
      lostMs: observedMs * share,
      share,
      what: `${times(queued, 'probe')} of the last ${duration(observedMs)}, one a second, had to wait.${queues === '' ? '' : ` Under way or in line now: ${queues}.`}`,
      why: isLookup
        ? 'most of it looks up names (DNS): dns.lookup, which connections use, waits for the name server in a thread of the pool; libuv gives lookups half of the threads at most, and fs, crypto and zlib share the rest'
        : 'asynchronous fs, crypto, zlib and dns.lookup share the threads of one pool: while each is taken the rest waits, and with it the requests',
      instead: isLookup
        ? `keep connections open (an http.Agent or pool with keepAlive), so that fewer names are looked up, cache the answers, or ask with dns.resolve, which needs no thread; UV_THREADPOOL_SIZE (it is ${size}) raises how many run at once`
        : `set UV_THREADPOOL_SIZE in the environment (it is ${size}; as many as processors for crypto and zlib, more for slow disks and name servers), and do less of it at once`,
      evidence: { queued, maxWaitMs, size, work: queues, documentation: 'https://nodejs.org/api/cli.html#uv_threadpool_sizesize' },
      next: [`npx loopscope sync ${readings.pid}`]
    })]
  }
}
