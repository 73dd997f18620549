'use strict'

// The few numbers that the main thread and the observer share without messages, so that the observer can read them while the main thread
// is blocked.
//
// Times are doubles written by one thread and read by the other without Atomics (which do not support doubles): every platform
// that Node supports reads and writes an aligned 8-byte word whole.

const TICK_MICROS = 0 // indexes into the doubles
const PERIOD_MS = 1
const MAX_DELAY_MS = 2
const OWN_WORK_MICROS = 3
const KEEP_MICROS = 4
const SOURCE_MAPS_MS = 5
const CPU_MICROS = 6
const CPU_AT_MICROS = 7
const BUSY_MICROS = 8
const IDLE_MICROS = 9
const MEMORY = 10 // MEMORY_FIGURES.length of them
const COLLECTED = 17 // COLLECTED_FIGURES.length of them
const UTILIZATION = 22
const REQUESTS = 23 // two: arrived, answered
const DOUBLES = 25
const EXITING = 0 // indexes into the integers
const SESSION = 1
const IDLE = 2
const KEEPING = 3
const INTEGERS = 4

// State of the inspector session: the first to change it from NONE decides whether there is one.
const NONE = 0
const OPEN = 1
const OVER = 2 // none, and none may be opened

/** @type {readonly (keyof NotedMemory)[]} */
const MEMORY_FIGURES = Object.freeze(['atMicros', 'heapUsedBytes', 'heapTotalBytes', 'oldBytes', 'externalBytes', 'buffersBytes', 'workers'])
/** @type {readonly (keyof NotedCollection)[]} */
const COLLECTED_FIGURES = Object.freeze(['atMicros', 'count', 'oldBytes', 'externalBytes', 'buffersBytes'])

/**
 * @typedef {object} NotedMemory  of the main thread; no more than a second old while its loop turns
 * @property {number} atMicros
 * @property {number} heapUsedBytes
 * @property {number} heapTotalBytes  committed
 * @property {number} oldBytes  of the old generation, garbage included
 * @property {number} externalBytes   outside the heap, Buffers included
 * @property {number} buffersBytes
 * @property {number} workers  how many worker threads it has started that still run
 *
 * @typedef {Pick<NotedMemory, 'atMicros' | 'oldBytes' | 'externalBytes' | 'buffersBytes'> & { count: number }} NotedCollection  what was left after the
 *   last full collection of the main thread's heap; count: of them so far
 */

class SharedState {
  #doubles
  #integers

  /** @param {SharedArrayBuffer} [buffer]  of another thread's SharedState */
  constructor (buffer = new SharedArrayBuffer(DOUBLES * 8 + INTEGERS * 4)) {
    this.buffer = buffer
    this.#doubles = new Float64Array(buffer, 0, DOUBLES)
    this.#integers = new Int32Array(buffer, DOUBLES * 8, INTEGERS)
  }

  /** When the heartbeat last ticked, by monotonicMicros(), plus loopscope's own work since then; 0 before the first tick. */
  get tickMicros () { return this.#doubles[TICK_MICROS] }
  set tickMicros (micros) { this.#doubles[TICK_MICROS] = micros }

  /** Time from that tick to the next due one. */
  get periodMs () { return this.#doubles[PERIOD_MS] }
  set periodMs (ms) { this.#doubles[PERIOD_MS] = ms }

  /** Since when the main thread is blocked by loopscope's own work; 0 while it is not. Read it before tickMicros. */
  get ownWorkMicros () { return this.#doubles[OWN_WORK_MICROS] }
  set ownWorkMicros (micros) { this.#doubles[OWN_WORK_MICROS] = micros }

  /**
   * Main thread: records its CPU time so far, where the observer cannot read it.
   * @param {number} micros  now
   * @param {number} cpuMicros
   */
  noteCpu (micros, cpuMicros) {
    this.#doubles[CPU_MICROS] = cpuMicros
    this.#doubles[CPU_AT_MICROS] = micros
  }

  /** Observer: the last recorded CPU time; null if there is none. */
  get notedCpu () {
    const [cpuMicros, micros] = [this.#doubles[CPU_MICROS], this.#doubles[CPU_AT_MICROS]]
    return micros === 0 ? null : { micros, cpuMicros }
  }

  /** Main thread: records how late a tick was. @param {number} delayMs */
  noteDelay (delayMs) {
    if (delayMs > this.#doubles[MAX_DELAY_MS]) this.#doubles[MAX_DELAY_MS] = delayMs
  }

  /** Observer: the longest delay since its last call. One that is recorded at the same moment may be lost. */
  takeMaxDelayMs () {
    const maxDelayMs = this.#doubles[MAX_DELAY_MS]
    this.#doubles[MAX_DELAY_MS] = 0
    return maxDelayMs
  }

  /** Main thread: the share of the last half minute in which its loop was busy, 0 to 1; no more than a second old while its loop turns. */
  get utilization () { return this.#doubles[UTILIZATION] }
  set utilization (share) { this.#doubles[UTILIZATION] = share }

  /** Main thread: where it counts its requests, with every one, so that the observer reads them right within a turn that blocks: arrived, answered. */
  get requestTotals () { return this.#doubles.subarray(REQUESTS, REQUESTS + 2) }

  /** Requests answered since the start, and in flight. */
  get requests () {
    const [arrived, answered] = [this.#doubles[REQUESTS], this.#doubles[REQUESTS + 1]]
    return { answered, inFlight: Math.max(0, arrived - answered) }
  }

  /** Main thread: records its memory. @param {NotedMemory} memory */
  noteMemory (memory) {
    MEMORY_FIGURES.forEach((name, index) => { this.#doubles[MEMORY + index] = memory[name] })
  }

  /** Its last memory figures, also while it is blocked; null before the first ones. */
  get notedMemory () { return this.#read(MEMORY, MEMORY_FIGURES) }

  /** Main thread: records what a full collection left. @param {NotedCollection} collection */
  noteCollection (collection) {
    COLLECTED_FIGURES.forEach((name, index) => { this.#doubles[COLLECTED + index] = collection[name] })
  }

  /** Null before the first full collection. */
  get notedCollection () { return this.#read(COLLECTED, COLLECTED_FIGURES) }

  /**
   * @template {string} Name
   * @param {number} from
   * @param {readonly Name[]} names  the first is a time: 0 before the figures are there
   * @returns {Record<Name, number> | null}
   */
  #read (from, names) {
    if (this.#doubles[from] === 0) return null
    return /** @type {Record<Name, number>} */ (Object.fromEntries(names.map((name, index) => [name, this.#doubles[from + index]])))
  }

  /** Whether the heartbeat is slow because the process is idle. */
  get isIdle () { return Atomics.load(this.#integers, IDLE) === 1 }
  set isIdle (isIdle) { Atomics.store(this.#integers, IDLE, isIdle ? 1 : 0) }

  /** CPU time of the observer's thread for source maps since the start. */
  get sourceMapsMs () { return this.#doubles[SOURCE_MAPS_MS] }
  set sourceMapsMs (ms) { this.#doubles[SOURCE_MAPS_MS] = ms }

  /**
   * Observer: adds how long the loop was busy and how long it waited, from the samples of one more window. The sums outlive the observer.
   * @param {{ busyMicros: number, idleMicros: number }} time
   */
  addSampledTime ({ busyMicros, idleMicros }) {
    this.#doubles[BUSY_MICROS] += busyMicros
    this.#doubles[IDLE_MICROS] += idleMicros
  }

  /** The sums since the start. */
  get sampledTime () { return { busyMicros: this.#doubles[BUSY_MICROS], idleMicros: this.#doubles[IDLE_MICROS] } }

  /**
   * Main thread, at exit: makes the observer release its inspector session, and waits for that. If a session is still connected, Node prints
   * "Waiting for the debugger to disconnect...", and terminate() comes too late to prevent it. An observer that has none yet, because it is
   * still loading, is not waited for and will not open one.
   * @param {number} maxMs
   */
  requestRelease (maxMs) {
    if (Atomics.compareExchange(this.#integers, SESSION, NONE, OVER) !== OPEN) return
    Atomics.store(this.#integers, EXITING, 1)
    Atomics.notify(this.#integers, EXITING)
    Atomics.wait(this.#integers, SESSION, OPEN, maxMs)
    Atomics.compareExchange(this.#integers, SESSION, NONE, OVER) // it had already released it
  }

  /** Main thread: the process did not end after all; the observer may open a session. */
  withdrawRelease () {
    Atomics.store(this.#integers, EXITING, 0)
    Atomics.compareExchange(this.#integers, SESSION, OVER, NONE)
  }

  /** Whether the observer has an inspector session. */
  get hasSession () { return Atomics.load(this.#integers, SESSION) === OPEN }

  /**
   * Main thread, at its end, before it requests the release: the last recording is about to reach the observer, which has to write it to
   * disk.
   * @param {number} micros
   */
  requestKeeping (micros) {
    this.#doubles[KEEP_MICROS] = micros
    Atomics.store(this.#integers, KEEPING, 1)
  }

  /** Main thread: waits until it is on disk. @param {number} maxMs */
  awaitKept (maxMs) {
    Atomics.wait(this.#integers, KEEPING, 1, maxMs)
  }

  /** Observer: the end time of the recording to store; 0: nothing to store. */
  get keepMicros () { return Atomics.load(this.#integers, KEEPING) === 1 ? this.#doubles[KEEP_MICROS] : 0 }

  /** Observer: it is stored, or cannot be. */
  confirmKept () {
    Atomics.store(this.#integers, KEEPING, 0)
    Atomics.notify(this.#integers, KEEPING)
  }

  /** Observer, before it opens its session: false when there is one, or the process is exiting. */
  claimSession () {
    return Atomics.compareExchange(this.#integers, SESSION, NONE, OPEN) === NONE
  }

  /** Main thread: the observer and its session are gone. The next observer may open its own. */
  forgetSession () {
    Atomics.store(this.#integers, SESSION, NONE)
  }

  /** Observer: resolves when the main thread requests the release. @returns {Promise<void>} */
  async releaseRequested () {
    await Atomics.waitAsync(this.#integers, EXITING, 0).value
  }

  /** Observer: the session is gone, or could not be opened. */
  confirmReleased () {
    const isExiting = Atomics.exchange(this.#integers, EXITING, 0) === 1
    Atomics.compareExchange(this.#integers, SESSION, OPEN, isExiting ? OVER : NONE)
    Atomics.notify(this.#integers, SESSION)
  }
}

module.exports = { SharedState }
