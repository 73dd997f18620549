'use strict'

// How much processor time each thread of the process has had, and what kind of a thread it is, as far as the system and Node.js tell.
// Linux only: elsewhere, and where its files may not be read, nothing is told.

const fs = require('node:fs')
const path = require('node:path')

const TASKS = '/proc/self/task'
const NS_PER_MS = 1e6

// Of threads that Node.js and V8 name; Node 20 names none of them.
const ENGINE = /^((node-)?V8Worker|DelayedTaskSche|SignalInspector|v8:.*)$/
const POOL = /^libuv-worker$/
// Those of V8's platform that have no name of their own are the first after the main thread: four workers, and the inspector's signal thread;
// with Node 20 the one of delayed tasks as well.
const UNNAMED_ENGINE = Object.freeze(/** @type {Record<number, number>} */ ({ 20: 6, 22: 5 }))
const MAJOR = Number(process.versions.node.split('.')[0])
// From here on a worker can be told from a thread of libuv's pool by the name.
const NAMES_POOL = 22

/**
 * @typedef {'main' | 'observed' | 'own' | 'engine' | 'pool' | 'worker'} ThreadKind  own: the one that reads, and others of loopscope; engine: V8's and Node's own;
 *   worker: all others, which with Node 20 are those of libuv's pool as well
 * @typedef {{ name: string, kind: ThreadKind, cpuMs: number }} ThreadTime
 */

/**
 * To be called in the observer thread.
 * @param {{ threadPid: number | null, sourceMapsPid?: number | null, major?: number }} options  threadPid: of the observed thread;
 *   sourceMapsPid: of loopscope's thread for source maps
 * @returns {Map<string, ThreadTime> | null} by the thread's id; null where the system does not tell
 */
function readThreadTimes ({ threadPid, sourceMapsPid = null, major = MAJOR }) {
  try {
    const own = path.basename(fs.readlinkSync('/proc/thread-self'))
    const times = fs.readdirSync(TASKS).sort((left, right) => Number(left) - Number(right)).flatMap(id => readThread(id))
    return new Map(withKinds(times, { own: [own, String(sourceMapsPid)], observed: String(threadPid), major }))
  } catch {
    return null // not Linux, a kernel without schedstats, or the permission model
  }
}

/** @param {string} id */
function readThread (id) {
  try {
    const [cpuNs] = fs.readFileSync(`${TASKS}/${id}/schedstat`, 'latin1').split(' ')
    return [{ id, name: fs.readFileSync(`${TASKS}/${id}/comm`, 'utf8').trim(), cpuMs: Number(cpuNs) / NS_PER_MS }]
  } catch (error) {
    if (fs.existsSync(`${TASKS}/${id}`)) throw error
    return [] // it has ended meanwhile
  }
}

/**
 * @param {{ id: string, name: string, cpuMs: number }[]} threads  oldest first
 * @param {{ own: string[], observed: string, major: number }} known
 * @returns {[string, ThreadTime][]}
 */
function withKinds (threads, { own, observed, major }) {
  let unnamedLeft = UNNAMED_ENGINE[major] ?? 0
  const kindOf = (/** @type {string} */ id, /** @type {string} */ name) => {
    if (id === String(process.pid)) return id === observed ? 'observed' : 'main'
    if (ENGINE.test(name)) return 'engine'
    if (POOL.test(name)) return 'pool'
    if (unnamedLeft-- > 0) return 'engine'
    if (own.includes(id)) return 'own'
    return id === observed ? 'observed' : 'worker'
  }
  return threads.map(({ id, name, cpuMs }) => [id, { name, kind: kindOf(id, name), cpuMs }])
}

module.exports = { canNamePool: MAJOR >= NAMES_POOL, readThreadTimes, withKinds }
