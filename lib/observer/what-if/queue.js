'use strict'

// Replays requests through one event loop: each runs, waits for something else, and runs again. The loop takes what is ready in batches, as libuv
// does. Pure.

/**
 * @typedef {object} Job  milliseconds
 * @property {number} route      index
 * @property {number} arrivalMs
 * @property {number} firstMs    on the loop, when it arrives
 * @property {number} poolMs     then in libuv's pool
 * @property {number} waitMs     then for something outside of the process
 * @property {number} secondMs   then on the loop again
 * @property {number} connection 0: its arrival does not depend on another request
 * @property {number} gapMs      from the end of the request before on its connection to its arrival
 * @property {boolean} isNext    though its client sends at its own times, it sent this one as soon as it had that answer
 * @property {number} endMs      when it ended, as recorded
 *
 * @typedef {{ atMs: number, ms: number }} Background  work of no request
 *
 * @typedef {object} Replay
 * @property {readonly Job[]} jobs  by arrival
 * @property {readonly Background[]} background
 * @property {number} routes  how many
 * @property {number} servers  threads that work for the pool
 * @property {boolean} isClosed  a client sends its next request when it has the answer to the one before
 * @property {boolean} isInArrivalOrder  false: as the kernel lists the sockets that are ready
 */

// A replay of a closed loop can have more requests than were recorded.
const MAX_REPLAYED = 40_000

/**
 * @param {Replay} replay
 * @returns {{ durations: number[][], loopShare: number }} how long the requests of each route took, in milliseconds; the share of the time in which the
 *   loop was busy
 */
function replayQueue ({ jobs, background, routes, servers, isClosed, isInArrivalOrder }) {
  const durations = Array.from({ length: routes }, () => /** @type {number[]} */ ([]))
  const ready = new Heap()
  const pool = new Array(Math.max(1, servers)).fill(0)
  /** @type {Map<number, Job[]>} */
  const lines = new Map()
  /** By the request before them. @type {Map<Job, Job>} */
  const followers = new Map()
  const lastOf = new Map()
  for (const job of jobs) {
    const before = lastOf.get(job.connection)
    lastOf.set(job.connection, job)
    if (job.isNext && before !== undefined) followers.set(before, job)
    else if (!isClosed || job.connection === 0) ready.push({ atMs: job.arrivalMs, job, arrivalMs: job.arrivalMs, isSecond: false, place: -1 })
    else if (lines.has(job.connection)) lines.get(job.connection)?.push(job)
    else lines.set(job.connection, [job])
  }
  for (const [first] of lines.values()) ready.push({ atMs: first.arrivalMs, job: first, arrivalMs: first.arrivalMs, isSecond: false, place: 0 })
  for (const { atMs, ms } of background) ready.push({ atMs, job: null, arrivalMs: atMs, ms, isSecond: false, place: -1 })

  const poll = new Poll(ready, isInArrivalOrder)
  let [freeMs, busyMs, replayed] = [0, 0, 0]
  const runFor = (/** @type {number} */ ms) => {
    freeMs += ms
    busyMs += ms
  }
  for (let batch = poll.next(freeMs); batch.length > 0 && replayed < MAX_REPLAYED; batch = poll.next(freeMs)) {
    for (const { atMs, job, ms = 0, arrivalMs, isSecond, place } of batch) {
      freeMs = Math.max(freeMs, atMs)
      if (job === null) {
        runFor(ms)
        continue
      }
      runFor(isSecond ? job.secondMs : job.firstMs)
      if (!isSecond && (job.poolMs > 0 || job.waitMs > 0)) {
        let readyMs = freeMs
        if (job.poolMs > 0) {
          const server = pool.indexOf(Math.min(...pool))
          readyMs = pool[server] = Math.max(pool[server], readyMs) + job.poolMs
        }
        ready.push({ atMs: readyMs + job.waitMs, job, arrivalMs, isSecond: true, place })
        continue
      }
      if (!isSecond) runFor(job.secondMs)
      replayed++
      durations[job.route].push(freeMs - arrivalMs)
      const follower = followers.get(job)
      if (follower !== undefined) ready.push({ atMs: freeMs + follower.gapMs, job: follower, arrivalMs: freeMs + follower.gapMs, isSecond: false, place: -1 })
      if (place === -1) continue
      const line = /** @type {Job[]} */ (lines.get(job.connection))
      const next = (place + 1) % line.length
      const nextMs = freeMs + line[next].gapMs
      // A client that was gone by then sends no more.
      if (nextMs < line[line.length - 1].endMs) ready.push({ atMs: nextMs, job: line[next], arrivalMs: nextMs, isSecond: false, place: next })
    }
  }
  return { durations, loopShare: freeMs === 0 ? 0 : busyMs / freeMs }
}

/**
 * What is ready when the loop polls. The kernel lists first the sockets that it listed the last time, in the same order, where they are ready again:
 * ep_send_events() of Linux puts a level-triggered file back on its list. Others follow in the order in which they became ready.
 */
class Poll {
  #ready
  #isInArrivalOrder
  /** By connection, the place in the batch before. @type {Map<number, number>} */
  #places = new Map()

  /** @param {Heap} ready @param {boolean} isInArrivalOrder */
  constructor (ready, isInArrivalOrder) {
    this.#ready = ready
    this.#isInArrivalOrder = isInArrivalOrder
  }

  /** @param {number} nowMs @returns {Event[]} empty: nothing is left */
  next (nowMs) {
    /** @type {Event[]} */
    const batch = []
    for (let event = this.#ready.popUntil(Infinity); event !== undefined; event = this.#ready.popUntil(Math.max(nowMs, batch[0].atMs))) batch.push(event)
    if (this.#isInArrivalOrder) return batch
    if (batch.length > 1) {
      const places = new Map(batch.map((event, index) => [event, this.#placeOf(event) ?? this.#places.size + index]))
      batch.sort((left, right) => /** @type {number} */ (places.get(left)) - /** @type {number} */ (places.get(right)))
    }
    this.#places.clear()
    for (const [index, { job, isSecond }] of batch.entries()) if (job !== null && !isSecond && job.connection !== 0) this.#places.set(job.connection, index)
    return batch
  }

  /** @param {Event} event */
  #placeOf ({ job, isSecond }) {
    return job === null || isSecond ? undefined : this.#places.get(job.connection)
  }
}

/** @typedef {{ atMs: number, job: Job | null, arrivalMs: number, ms?: number, isSecond: boolean, place: number }} Event  job null: ms of other work */

/** The earliest event first; of two at the same time, any. */
class Heap {
  /** @type {Event[]} */
  #items = []

  /** @param {Event} item */
  push (item) {
    const items = this.#items
    let at = items.push(item) - 1
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (items[parent].atMs <= item.atMs) break
      items[at] = items[parent]
      at = parent
    }
    items[at] = item
  }

  /** @param {number} untilMs @returns {Event | undefined} */
  popUntil (untilMs) {
    const items = this.#items
    const first = items[0]
    if (first === undefined || first.atMs > untilMs) return undefined
    const last = /** @type {Event} */ (items.pop())
    if (items.length === 0) return first
    let at = 0
    for (;;) {
      let child = at * 2 + 1
      if (child >= items.length) break
      if (child + 1 < items.length && items[child + 1].atMs < items[child].atMs) child++
      if (items[child].atMs >= last.atMs) break
      items[at] = items[child]
      at = child
    }
    items[at] = last
    return first
  }
}

module.exports = { replayQueue }
