'use strict'

// The few numbers that the main thread and the observer share without messages, so that the observer can read them
// while the main thread is stuck.
//
// Times are doubles written by one thread and read by the other without Atomics (which know no doubles): every platform
// that Node supports reads and writes an aligned 8-byte word whole.

const TICK_MICROS = 0 // indexes into the doubles
const PERIOD_MS = 1
const MAX_DELAY_MS = 2
const OWN_WORK_MICROS = 3
const DOUBLES = 4
const EXITING = 0 // indexes into the integers
const SESSION = 1
const IDLE = 2
const INTEGERS = 3

// Of the inspector session: whoever moves it away from NONE first decides whether there is one.
const NONE = 0
const OPEN = 1
const OVER = 2 // none, and none to be opened

class SharedState {
  #doubles
  #integers

  /** @param {SharedArrayBuffer} [buffer]  of another thread's SharedState */
  constructor (buffer = new SharedArrayBuffer(DOUBLES * 8 + INTEGERS * 4)) {
    this.buffer = buffer
    this.#doubles = new Float64Array(buffer, 0, DOUBLES)
    this.#integers = new Int32Array(buffer, DOUBLES * 8, INTEGERS)
  }

  /** When the heartbeat last ticked, by monotonicMicros(), plus the own work that it has done since; 0 before the first tick. */
  get tickMicros () { return this.#doubles[TICK_MICROS] }
  set tickMicros (micros) { this.#doubles[TICK_MICROS] = micros }

  /** When the next tick is due after that. */
  get periodMs () { return this.#doubles[PERIOD_MS] }
  set periodMs (ms) { this.#doubles[PERIOD_MS] = ms }

  /** Since when the main thread does work of ours that holds it up; 0 while it does not. Read it before tickMicros. */
  get ownWorkMicros () { return this.#doubles[OWN_WORK_MICROS] }
  set ownWorkMicros (micros) { this.#doubles[OWN_WORK_MICROS] = micros }

  /**
   * Main thread: a tick was so late.
   * @param {number} delayMs
   */
  noteDelay (delayMs) {
    if (delayMs > this.#doubles[MAX_DELAY_MS]) this.#doubles[MAX_DELAY_MS] = delayMs
  }

  /** Observer: the longest delay since it last asked. One that is noted in this very moment may be lost. */
  takeMaxDelayMs () {
    const maxDelayMs = this.#doubles[MAX_DELAY_MS]
    this.#doubles[MAX_DELAY_MS] = 0
    return maxDelayMs
  }

  /** Whether the heart beats slowly because nothing happens. */
  get isIdle () { return Atomics.load(this.#integers, IDLE) === 1 }
  set isIdle (isIdle) { Atomics.store(this.#integers, IDLE, isIdle ? 1 : 0) }

  /**
   * Main thread, at exit: asks the observer to let go of its inspector session and waits for that. A session that is still
   * connected makes Node print "Waiting for the debugger to disconnect..." and terminate() comes too late to prevent it.
   * An observer that has none yet, because it is still being loaded, is not waited for and will not open one.
   * @param {number} maxMs
   */
  requestRelease (maxMs) {
    if (Atomics.compareExchange(this.#integers, SESSION, NONE, OVER) !== OPEN) return
    Atomics.store(this.#integers, EXITING, 1)
    Atomics.notify(this.#integers, EXITING)
    Atomics.wait(this.#integers, SESSION, OPEN, maxMs)
    Atomics.compareExchange(this.#integers, SESSION, NONE, OVER) // it had let go of it by itself
  }

  /** Main thread: it did not end after all, and the observer may open a session. */
  withdrawRelease () {
    Atomics.store(this.#integers, EXITING, 0)
    Atomics.compareExchange(this.#integers, SESSION, OVER, NONE)
  }

  /** Observer, before it opens its session: false when there is one, or the process is exiting. */
  claimSession () {
    return Atomics.compareExchange(this.#integers, SESSION, NONE, OPEN) === NONE
  }

  /** Main thread: the observer is gone, and its session with it. Another one may open its own. */
  forgetSession () {
    Atomics.store(this.#integers, SESSION, NONE)
  }

  /**
   * Observer: resolves when the main thread asks.
   * @returns {Promise<void>}
   */
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
