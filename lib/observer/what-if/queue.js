'use strict'

// Replays requests through one event loop, first come, first served: each runs, waits for something else, and runs again. Pure.

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
 */

// A replay of a closed loop can have more requests than were recorded.
const MAX_REPLAYED = 40_000

/** @param {Replay} replay @returns {number[][]} how long the requests of each route took, in milliseconds */
function replayQueue ({ jobs, background, routes, servers, isClosed }) {
  const durations = Array.from({ length: routes }, () => /** @type {number[]} */ ([]))
  const ready = new Heap()
  const pool = new Array(Math.max(1, servers)).fill(0)
  /** @type {Map<number, Job[]>} */
  const lines = new Map()
  for (const job of jobs) {
    if (!isClosed || job.connection === 0) ready.push({ atMs: job.arrivalMs, job, arrivalMs: job.arrivalMs, isSecond: false, place: -1 })
    else if (lines.has(job.connection)) lines.get(job.connection)?.push(job)
    else lines.set(job.connection, [job])
  }
  for (const [first] of lines.values()) ready.push({ atMs: first.arrivalMs, job: first, arrivalMs: first.arrivalMs, isSecond: false, place: 0 })
  for (const { atMs, ms } of background) ready.push({ atMs, job: null, arrivalMs: atMs, ms, isSecond: false, place: -1 })

  let freeMs = 0
  let replayed = 0
  for (let event = ready.pop(); event !== undefined && replayed < MAX_REPLAYED; event = ready.pop()) {
    const { job, arrivalMs, place } = event
    freeMs = Math.max(freeMs, event.atMs)
    if (job === null) {
      freeMs += event.ms ?? 0
      continue
    }
    freeMs += event.isSecond ? job.secondMs : job.firstMs
    if (!event.isSecond && (job.poolMs > 0 || job.waitMs > 0)) {
      let atMs = freeMs
      if (job.poolMs > 0) {
        const server = pool.indexOf(Math.min(...pool))
        atMs = pool[server] = Math.max(pool[server], atMs) + job.poolMs
      }
      ready.push({ atMs: atMs + job.waitMs, job, arrivalMs, isSecond: true, place })
      continue
    }
    if (!event.isSecond) freeMs += job.secondMs
    replayed++
    durations[job.route].push(freeMs - arrivalMs)
    if (place === -1) continue
    const line = /** @type {Job[]} */ (lines.get(job.connection))
    const next = (place + 1) % line.length
    const atMs = freeMs + line[next].gapMs
    // A client that was gone by then sends no more.
    if (atMs < line[line.length - 1].endMs) ready.push({ atMs, job: line[next], arrivalMs: atMs, isSecond: false, place: next })
  }
  return durations
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

  /** @returns {Event | undefined} */
  pop () {
    const items = this.#items
    const first = items[0]
    const last = items.pop()
    if (last === undefined || items.length === 0) return first
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
