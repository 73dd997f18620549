'use strict'

// A server that calls synchronous APIs, inside a request and outside, and times them without the exact detector, with it, and with no more
// around them than two readings of the clock.
//
// Both in one process, because two processes of the same code differ by more than a wrapper costs: by 150 ns for
// fs.readFileSync, by 2 us for zlib.deflateSync. The wrappers are put in place and taken away between two slices; the
// detector itself goes on, so that it knows how often each API is called.

const { AsyncLocalStorage } = require('node:async_hooks')
const http = require('node:http')
const { setImmediate: nextTurn } = require('node:timers/promises')
const express = require('express')
const diagnostics = require('../..')
const { RouteContext } = require('../../lib/probe/http/contexts/route-context')
const { StallRoute } = require('../../lib/probe/http/stall-route')
const { resolveOptions } = require('../../lib/api/options/resolve-options')
const { SyncCallDetector } = require('../../lib/probe/sync-calls/detector')
const { listTargets, propertyOf } = require('../../lib/probe/sync-calls/targets')
const { serveAnswers } = require('../harness/answers')
const { callsLasting, timeNs } = require('../harness/slices')
const { differences, summarize } = require('../harness/statistics')

/** @import { Loop } from '../harness/slices' */

/** @typedef {{ holder: any, name: string, fn: Function }} Place */
/** @typedef {'off' | 'timed' | 'on'} CaseName */
/** @typedef {{ name: CaseName, loops: Record<string, Loop>, places: Place[] }} Case */
/** @typedef {{ api: string, calls: number, isInRequest: boolean }} Slice */

// Garbage is collected every few milliseconds: two slices this short meet as much of it, or their pair is an outlier.
const SLICE_MS = 2

const ROUTE = '/orders/:id'
const LOOPS = require.resolve('./sync-call-loops')

/** Each time anew: V8 compiles a loop for what it has met, and plain and watched calls must not meet. @returns {Record<string, Loop>} */
function loadLoops () {
  delete require.cache[LOOPS]
  return require(LOOPS)
}

/** @returns {Place[]} where the functions that can be watched are, and what is there now */
function placesNow () {
  return listTargets().map(target => {
    const { holder, name } = propertyOf(target)
    return { holder, name, fn: holder[name] }
  })
}

/** @param {Place[]} places */
function putInPlace (places) {
  for (const { holder, name, fn } of places) {
    if (holder[name] !== fn) Object.defineProperty(holder, name, { value: fn })
  }
}

/**
 * What whoever wants to know how long each call takes cannot do without. Where calls are only counted, as those of Date are, it is not wanted.
 * @param {Place} place
 * @returns {Place}
 */
function timed ({ holder, name, fn }) {
  if (holder === Date || fn === Date) return { holder, name, fn }
  const spentMs = new Float64Array(1)
  return {
    holder,
    name,
    /** @this {any} */
    fn (/** @type {any[]} */ ...given) {
      const startMs = performance.now()
      try {
        return Reflect.apply(fn, this, given)
      } finally {
        spentMs[0] += performance.now() - startMs
      }
    }
  }
}

/**
 * @param {import('express').Express} app
 * @returns {Promise<<T>(fn: () => T) => T>} runs a function within a request that is never answered
 */
function openRequest (app) {
  return new Promise(resolve => {
    app.get(ROUTE, () => resolve(AsyncLocalStorage.snapshot()))
    const server = app.listen(0, '127.0.0.1', () => {
      const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
      http.get({ port, path: ROUTE.replace(':id', '7') })
    })
  })
}

const DEFAULTS = /** @type {Required<import('../../types/diagnostics').SyncCallOptions>} */ (resolveOptions({ syncCalls: true }, {}).syncCalls)

/** As in an application. */
function startDetector () {
  const context = new RouteContext()
  context.start()
  const stallRoute = new StallRoute(context)
  const detector = new SyncCallDetector({ ...DEFAULTS, routeNow: () => stallRoute.now() })
  detector.armed = true
  detector.start()
}

class Turns {
  #cases
  #inRequest

  /**
   * @param {Case[]} cases
   * @param {<T>(fn: () => T) => T} inRequest
   */
  constructor (cases, inRequest) {
    this.#cases = cases
    this.#inRequest = inRequest
  }

  /**
   * @param {string} api
   * @returns {number} calls of a slice
   */
  calibrate (api) {
    const calls = this.#cases.map(({ loops, places }) => {
      putInPlace(places)
      return callsLasting(loops[api], SLICE_MS)
    })
    return Math.min(...calls)
  }

  /**
   * @param {Slice & { durationMs: number }} what  at least one turn is taken
   * @returns {Promise<{ offNs: number, timedNs: number, moreNs: number }>} a call; timedNs and moreNs: beyond offNs
   */
  async round ({ durationMs, ...slice }) {
    /** @type {Record<CaseName, number[]>} */
    const ns = { off: [], timed: [], on: [] }
    const startMs = performance.now()
    do {
      this.#takeTurn(slice, ns)
      await nextTurn()
    } while (performance.now() - startMs < durationMs)
    return { offNs: summarize(ns.off).median, timedNs: differences(ns.timed, ns.off).median, moreNs: differences(ns.on, ns.off).median }
  }

  /**
   * In any order: whatever happens at intervals would else always meet the same one.
   * @param {Slice} slice
   * @param {Record<CaseName, number[]>} ns  each gets one more
   */
  #takeTurn ({ api, calls, isInRequest }, ns) {
    const order = this.#cases.map(one => ({ one, rank: Math.random() })).sort((left, right) => left.rank - right.rank).map(({ one }) => one)
    for (const { name, loops, places } of order) {
      putInPlace(places)
      const time = () => timeNs(loops[api], calls) / calls
      ns[name].push(isInRequest ? this.#inRequest(time) : time())
    }
  }
}

async function main () {
  const originals = placesNow()
  const clocked = originals.map(timed) // now: it looks for Date, which the detector replaces
  const app = express().use(diagnostics())
  const replacedWhileOff = placesNow().filter(({ fn }, index) => fn !== originals[index].fn).length
  const inRequest = await openRequest(app)
  startDetector()
  const turns = new Turns([
    { name: 'off', loops: loadLoops(), places: originals },
    { name: 'timed', loops: loadLoops(), places: clocked },
    { name: 'on', loops: loadLoops(), places: placesNow() }
  ], inRequest)
  serveAnswers({ apis: Object.keys(require(LOOPS)), watched: originals.length, replacedWhileOff }, {
    calibrate: api => turns.calibrate(api),
    round: what => turns.round(what)
  })
}

main()
