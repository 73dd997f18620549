'use strict'

// Follows the memory of the process from the observer thread: who owns it, how it has developed, and what grows. It reads what the main thread leaves in
// shared memory and what the system reports, a few times a minute; the main thread is asked for the heaps of its workers only.

const { availableParallelism } = require('node:os')
const { setTimeout: sleep } = require('node:timers/promises')
const { monotonicMicros, monotonicMs, toEpochMs } = require('../../base/monotonic')
const { SingleFlight } = require('../../base/single-flight')
const { nullWhenBlocked } = require('../../link/main-client')
const { readContainer, readMemoryRoom } = require('../../base/system/memory-room')
const { readMappings, readResident } = require('../../base/system/resident-memory')
const { OpenFiles } = require('../connections')
const { fragmentationOf, readAllocator } = require('./fragmentation')
const { FAST_HEAP_BYTES, MAX_SAMPLED_BYTES, MAX_SAMPLED_SECONDS, OwnerGrowth } = require('./growth')
const { ownersOf, sumByOwner, withKeptPages } = require('./owners')

/** @import { AllocationSites, Allocator, ContainerMemory, Growing, MemoryFragmentation, MemoryOptions, MemoryOwners, MemoryPoint, PreviousMemoryReport, ProcessMemory } from '../../../types/memory' */
/** @import { StartInterval } from '../../base/timers' */
/** @import { MemoryRoom } from '../../base/system/memory-room' */
/** @import { SharedState } from '../../link/shared-state' */
/** @import { OpenFilesState } from '../connections' */
/** @import { MainClient } from '../../link/main-client' */
/** @import { MainMemory } from '../../probe/heap/memory-reading' */
/** @import { MainFigures } from './owners' */
/** @import { SiteWatch } from './sites/site-watch' */

const EVERY_MS = 10_000
const SLOWER = 3 // the container is read at every third reading
const RECENT = 60 // points: ten minutes
const COARSE_EVERY = 60 // readings
const COARSE = 144 // points: a day
const INSPECTOR_MS = 250
const MAX_WORKERS_PER_CPU = 2 // pools have up to one and a half
const FRESH_MS = 5 * 60_000 // of what sampling has shown
// Each reading of the samples collects the whole old generation at once, which takes about 1 ms per MB. Up to this size, a tenth of a second, that is done
// where it may be garbage that grows; a larger one is collected more often by V8 itself, and what those collections leave is waited for.
const MAX_UNCOLLECTED_BYTES = 128e6

/**
 * @typedef {object} MemoryState  what the detectors of findings get
 * @property {Growing[]} growing  fastest first
 * @property {number} workers  worker threads
 * @property {number} unknownWorkers  worker threads whose heap cannot be read: it counts as native memory
 * @property {MemoryFragmentation | null} fragmentation
 * @property {Allocator} allocator
 * @property {ContainerMemory | null} container
 * @property {number} killed  processes of the container that were killed for memory since the first reading
 * @property {MemoryRoom} room
 * @property {PreviousMemoryReport | null} previous  that a process before this one left
 * @property {OpenFilesState | null} [files]  null: the system does not show them
 * @property {AllocationSites | null} [sites]  null: what grows has not been looked for
 */

class MemoryWatch {
  #parts
  #now
  #growth = { heap: new OwnerGrowth('heap'), buffers: new OwnerGrowth('buffers'), external: new OwnerGrowth('external'), native: new OwnerGrowth('native') }
  /** With the garbage that no full collection has removed yet, which may take minutes: reason enough to sample, which collects it, not to report. */
  #uncollected = { heap: new OwnerGrowth('heap'), buffers: new OwnerGrowth('buffers'), external: new OwnerGrowth('external') }
  /** By the id of the thread. @type {Map<number, OwnerGrowth>} */
  #workerGrowth = new Map()
  #workersGrowth = new OwnerGrowth('worker') // of all: each may be small, and they become more
  #files = new OpenFiles()
  /** @type {MainMemory['workers']} */
  #workers = []
  /** @type {ContainerMemory | null} */
  #container = null
  /** @type {() => PreviousMemoryReport | null} */
  #readPrevious = () => null
  /** When this was first read. @type {number | undefined} */
  #killedBefore
  /** At the last slow reading. @type {Growing[]} */
  #trends = []
  #collections = 0
  #readings = 0
  /** Oldest first. @type {MemoryPoint[]} */
  #recent = []
  /** @type {MemoryPoint[]} */
  #coarse = []
  /** @type {(() => void) | undefined} */
  #end
  #flight = new SingleFlight({ take: () => this.#read() })

  /**
   * @param {object} parts
   * @param {Pick<SharedState, 'notedMemory' | 'notedCollection'>} parts.state
   * @param {Pick<MainClient, 'readOrLast'>} parts.main
   * @param {() => number} parts.blockedMs
   * @param {{ hasSession: boolean, post: (method: string, params?: object) => Promise<any> }} parts.recorder
   * @param {StartInterval} parts.interval
   * @param {Pick<SiteWatch, 'noteGrowing' | 'noteGrowingFast' | 'current' | 'arm'>} [parts.sites]
   * @param {() => number} [parts.now]  milliseconds, monotonic
   */
  constructor (parts) {
    this.#parts = parts
    this.#now = parts.now ?? monotonicMs
  }

  start () {
    this.#end ??= this.#parts.interval(EVERY_MS, () => this.take())
  }

  stop () {
    this.#end?.()
    this.#end = undefined
  }

  /** One reading. */
  take () {
    const { state } = this.#parts
    const [noted, resident] = [state.notedMemory, readResident()]
    if (noted === null || resident === null) return
    const atMs = this.#now()
    this.#files.note(atMs)
    const owners = ownersOf({ resident, main: toFigures(noted), own: ownFigures(), workers: this.#workers })
    const sums = sumByOwner(owners)
    this.#keep({ at: Math.round(toEpochMs(monotonicMicros())), bytes: Object.fromEntries(sums) })
    const collection = state.notedCollection
    if (collection !== null && collection.count !== this.#collections) {
      this.#collections = collection.count
      // Buffers are freed in the background: what they are now may be less.
      const buffersBytes = Math.min(collection.buffersBytes, noted.buffersBytes)
      this.#growth.heap.add(atMs, collection.oldBytes)
      this.#growth.buffers.add(atMs, buffersBytes)
      this.#growth.external.add(atMs, Math.max(0, Math.min(collection.externalBytes, noted.externalBytes) - buffersBytes))
    }
    this.#growth.native.add(atMs, sums.get('native') ?? 0)
    this.#uncollected.heap.add(atMs, noted.oldBytes)
    this.#uncollected.buffers.add(atMs, noted.buffersBytes)
    this.#uncollected.external.add(atMs, Math.max(0, noted.externalBytes - noted.buffersBytes))
    if (this.#readings++ % SLOWER === 0) {
      this.#container = readContainer()
      this.#killedOf(this.#container)
      this.#trends = this.#readTrends()
      this.#parts.sites?.noteGrowing(this.#trends)
    }
    const uncollected = noted.oldBytes <= MAX_UNCOLLECTED_BYTES ? Object.values(this.#uncollected) : []
    const fast = fastOf([...this.#growths(), ...this.#startedGrowth(), ...uncollected], atMs)
    this.#parts.sites?.noteGrowingFast(fast.filter(growing => !isAmong(this.#trends, growing)), sites => this.#mayStay(sites))
    if (noted.workers > 0 || this.#workers.length > 0) return this.#takeWorkers()
  }

  /** A blocked main thread would not answer, and is not asked. */
  async #takeWorkers () {
    if (this.#parts.blockedMs() > 0) return
    const atMs = this.#now()
    const { value, isStale } = await this.#parts.main.readOrLast('memoryOwners', 0)
    if (!isStale) this.#noteWorkers(value.workers, atMs)
  }

  /**
   * @param {MainMemory['workers']} workers
   * @param {number} [atMs]  undefined: not at the time of a regular reading
   */
  #noteWorkers (workers, atMs) {
    this.#workers = workers
    const running = new Set(workers.map(({ threadId }) => threadId))
    for (const id of this.#workerGrowth.keys()) if (!running.has(id)) this.#workerGrowth.delete(id)
    if (atMs === undefined) return
    const known = workers.filter(({ usedBytes }) => usedBytes !== null)
    if (known.length === workers.length) this.#workersGrowth.add(atMs, known.reduce((sum, { usedBytes, externalBytes }) => sum + (usedBytes ?? 0) + (externalBytes ?? 0), 0))
    for (const { threadId, name, usedBytes, externalBytes } of workers) {
      if (usedBytes === null) continue
      const growth = this.#workerGrowth.get(threadId) ?? new OwnerGrowth('worker', name)
      this.#workerGrowth.set(threadId, growth)
      growth.add(atMs, usedBytes + (externalBytes ?? 0))
    }
  }

  /** @param {MemoryPoint} point */
  #keep (point) {
    this.#recent = [...this.#recent, point].slice(-RECENT)
    if (this.#readings % COARSE_EVERY === 0) this.#coarse = [...this.#coarse, point].slice(-COARSE)
  }

  /** @returns {MemoryState} */
  state () {
    const container = readContainer()
    return { growing: this.#growing(), fragmentation: this.#fragmentation(), allocator: readAllocator(), workers: this.#workers.length, unknownWorkers: this.#unknownWorkers(), container, killed: this.#killedOf(container), room: readMemoryRoom(), previous: this.#readPrevious(), files: this.#files.state(), sites: this.#parts.sites?.current() ?? null }
  }

  /** Of a day. */
  #fragmentation () {
    return fragmentationOf([...this.#coarse, ...this.#recent].sort((left, right) => left.at - right.at))
  }

  /** @param {ContainerMemory | null} container */
  #killedOf (container) {
    if (container === null) return 0
    this.#killedBefore ??= container.killed
    return Math.max(0, container.killed - this.#killedBefore)
  }

  /** @returns {Growing[]} fastest first */
  #growing () {
    const all = this.#readTrends()
    for (const fast of fastOf(this.#growths(), this.#now())) if (!isAmong(all, fast) && this.#stays(fast)) all.push(fast)
    if (!all.some(({ owner }) => owner === 'worker')) all.push(...fastOf(this.#startedGrowth(), this.#now()))
    return all.sort((left, right) => right.bytesPerMinute - left.bytesPerMinute)
  }

  #readTrends () {
    const all = this.#growths().map(growth => growth.read()).filter(growing => growing !== null)
    const workers = all.some(({ owner }) => owner === 'worker') ? null : this.#workersGrowth.read()
    return workers === null ? all : [...all, workers]
  }

  /** Of all workers, while they become more than any pool has: threads are no garbage, and there is no need to find out whether they stay. */
  #startedGrowth () {
    return this.#workers.length > availableParallelism() * MAX_WORKERS_PER_CPU ? [this.#workersGrowth] : []
  }

  #growths () {
    return [...Object.values(this.#growth), ...this.#workerGrowth.values()]
  }

  /**
   * Before there is a trend: whether sampling has shown that what was allocated meanwhile stays.
   * @param {Growing} growing
   */
  #stays (growing) {
    const sites = this.#parts.sites?.current() ?? null
    const { keepingSiteOf } = require('../findings/growing') // loaded with the first one
    if (sites === null || sites.isArmed || Date.now() - sites.toMs > FRESH_MS) return false
    // A heap that is too large to be sampled, and still grows by a fifth and more in minutes, is reported without it.
    const isTooLarge = growing.owner === 'heap' && sites.heap === null && growing.bytes > MAX_SAMPLED_BYTES
    return isTooLarge || keepingSiteOf({ memory: { sites } }, growing) !== null
  }

  /**
   * Whether what stays would be enough to be reported in the longest time of sampling, and is not yet.
   * @param {AllocationSites} sites  so far
   */
  #mayStay ({ sites }) {
    const stays = sites.filter(({ kind, thread, verdict }) => kind === 'heap' && thread === null && verdict === 'stays')
    const bytesPerMinute = stays.reduce((sum, site) => sum + site.bytesPerMinute, 0)
    return bytesPerMinute * MAX_SAMPLED_SECONDS / 60 >= FAST_HEAP_BYTES && this.#growth.heap.readFast(this.#now()) === null
  }

  #unknownWorkers () {
    const running = Math.max(this.#parts.state.notedMemory?.workers ?? 0, this.#workers.length)
    return running - this.#workers.filter(({ usedBytes }) => usedBytes !== null).length
  }

  /** @param {() => PreviousMemoryReport | null} read  called once, when somebody wants to know */
  setPrevious (read) {
    this.#readPrevious = () => {
      const previous = read()
      this.#readPrevious = () => previous
      return previous
    }
  }

  /**
   * What the observer knows without asking, now.
   * @param {{ usedSize: number, totalSize: number } | null} [usage]  of the heap, by the inspector
   */
  snapshot (usage = null) {
    const resident = readResident()
    const noted = this.#parts.state.notedMemory
    return {
      measuredAt: noted && Math.round(toEpochMs(noted.atMicros)),
      rssBytes: resident?.rssBytes ?? null,
      owners: this.#ownersNow(resident, usage) ?? [],
      growing: this.#growing(),
      container: readContainer(),
      recent: this.#recent
    }
  }

  /**
   * @param {ReturnType<typeof readResident>} resident
   * @param {Parameters<typeof toHeapFigures>[0] | null} [usage]
   */
  #ownersNow (resident, usage = null) {
    const noted = this.#parts.state.notedMemory
    return noted && ownersOf({ resident, main: { ...toFigures(noted), ...(usage && toHeapFigures(usage)) }, own: ownFigures(), workers: this.#workers })
  }

  /** The owners' last figures, for metrics: cheap. */
  counts () {
    const resident = readResident()
    const owners = resident && this.#ownersNow(resident)
    return owners && {
      owners: [...sumByOwner(owners)],
      container: this.#container && { usedBytes: this.#container.usedBytes, limitBytes: this.#container.limitBytes }
    }
  }

  /**
   * Everything, now: the main thread is asked, and the mappings are read.
   * @returns {Promise<MemoryOwners | null>} null before the first figures
   */
  read () {
    return this.#flight.share()
  }

  /** @param {MemoryOptions} wanted @returns {Promise<ProcessMemory | null>} */
  async readWithSites ({ sites: isWanted, seconds }) {
    const { sites } = this.#parts
    const found = seconds === undefined ? sites?.current() : await sites?.arm({ seconds })
    const owners = await this.read()
    return owners && { ...owners, ...((isWanted === true || seconds !== undefined) && { sites: found ?? null }) }
  }

  /** Has the main thread leave its figures of now, and not only once a second. */
  async refresh () {
    if (this.#parts.blockedMs() === 0) await this.#parts.main.readOrLast('memoryOwners', 0).catch(() => {})
  }

  /**
   * The same without the mappings, which take 60 ms in a loaded process: stacks are part of native memory.
   * @returns {Promise<MemoryOwners | null>}
   */
  readQuickly () {
    return this.#read(readResident)
  }

  /** @param {typeof readMappings} [read] @returns {Promise<MemoryOwners | null>} */
  async #read (read = readMappings) {
    const main = await this.#readMain()
    const resident = read()
    if (main === null) return null
    const fragmentation = this.#fragmentation()
    const owners = ownersOf({ resident, main: main.figures, own: ownFigures(), workers: this.#workers })
    return {
      pid: process.pid,
      at: Date.now(),
      rssBytes: resident?.rssBytes ?? null,
      owners: withKeptPages(owners, fragmentation?.ofHeapBytes ?? 0),
      unknownWorkers: this.#unknownWorkers(),
      measuredAt: main.at,
      isStale: main.isStale,
      growing: this.#growing(),
      fragmentation,
      allocator: readAllocator(),
      container: readContainer(),
      sitesAt: this.#parts.sites?.current()?.toMs ?? null,
      recent: this.#recent,
      coarse: this.#coarse
    }
  }

  /** @returns {Promise<{ figures: MainFigures, at: number, isStale: boolean } | null>} */
  async #readMain () {
    const answer = await this.#parts.main.readOrLast('memoryOwners', 0).catch(nullWhenBlocked)
    const noted = this.#parts.state.notedMemory
    if (answer !== null && !answer.isStale) {
      /** @type {MainMemory} */
      const { heapUsedBytes, heapResidentBytes, externalBytes, arrayBuffersBytes, workers } = answer.value
      this.#noteWorkers(workers)
      return { figures: { heapUsedBytes, heapResidentBytes, externalBytes, buffersBytes: arrayBuffersBytes ?? 0 }, at: answer.at, isStale: false }
    }
    if (noted === null) return null
    const figures = { ...toFigures(noted), ...await this.#askInspector() }
    return { figures, at: Math.round(toEpochMs(noted.atMicros)), isStale: true }
  }

  /** While the main thread runs JavaScript, its inspector still answers: the figures of its heap are current. */
  async #askInspector () {
    const { recorder } = this.#parts
    if (!recorder.hasSession) return {}
    const answer = recorder.post('Runtime.getHeapUsage').catch(() => undefined) // the session may close
    const usage = await Promise.race([answer, sleep(INSPECTOR_MS)])
    return usage === undefined ? {} : toHeapFigures(usage)
  }
}

/** @param {Growing[]} all @param {Growing} growing */
function isAmong (all, growing) {
  return all.some(({ owner, name }) => owner === growing.owner && name === growing.name)
}

/** @param {OwnerGrowth[]} growths @param {number} atMs  now */
function fastOf (growths, atMs) {
  return growths.map(growth => growth.readFast(atMs)).filter(growing => growing !== null)
}

/** @param {NonNullable<SharedState['notedMemory']>} noted */
function toFigures ({ heapUsedBytes, heapTotalBytes, externalBytes, buffersBytes }) {
  return { heapUsedBytes, heapResidentBytes: heapTotalBytes, externalBytes, buffersBytes }
}

/** @param {{ usedSize: number, totalSize: number }} usage */
function toHeapFigures ({ usedSize, totalSize }) {
  return { heapUsedBytes: usedSize, heapResidentBytes: totalSize }
}

function ownFigures () {
  const { total_physical_size: heapResidentBytes, external_memory: externalBytes } = process.getBuiltinModule('node:v8').getHeapStatistics()
  return { heapResidentBytes, externalBytes }
}

module.exports = { MemoryWatch }
