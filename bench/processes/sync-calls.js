'use strict'

// A server that calls synchronous APIs, inside a request and outside, and times them with and without the exact detector.
//
// Both in one process, because two processes of the same code differ by more than a wrapper costs: by 150 ns for
// fs.readFileSync, by 2 us for zlib.deflateSync. The wrappers are put in place and taken away between two turns; the
// detector itself goes on, so that it knows how often each API is called.

const { AsyncLocalStorage } = require('node:async_hooks')
const http = require('node:http')
const { setImmediate: nextTurn } = require('node:timers/promises')
const express = require('express')
const diagnostics = require('../..')
const { createRouteContext } = require('../../lib/http/route-context')
const { createStallRoute } = require('../../lib/http/stall-route')
const { createSyncCallDetector } = require('../../lib/sync-calls/detector')
const { listTargets, placeOf } = require('../../lib/sync-calls/targets')
const { serveAnswers } = require('../harness/answers')
const { callsLasting, timeNs } = require('../harness/slices')

const v8 = require('node:v8'); const vm = require('node:vm')
v8.setFlagsFromString('--expose-gc')
const collectGarbage = vm.runInNewContext('gc')
const SLICE_MS = 20
const ROUTE = '/orders/:id'
const LOOPS = require.resolve('./sync-call-loops')

/** @import { Loop } from '../harness/slices' */

/** Each time anew: V8 compiles a function for what it has met, and plain and watched calls must not meet. @returns {Record<string, Loop>} */
function loadLoops () {
  delete require.cache[LOOPS]
  return require(LOOPS)
}

/** @returns {Function[]} what stands in the places of the functions that can be watched */
function functionsInPlace () {
  return listTargets().map(target => {
    const { holder, name } = placeOf(target)
    return holder[name]
  })
}

/**
 * @param {readonly Function[]} functions  of functionsInPlace()
 * @param {boolean} isBackwards            as the detector does when it stops: Date.now belongs to the Date of its time
 */
function putInPlace (functions, isBackwards) {
  const places = listTargets().map((target, index) => ({ target, fn: functions[index] }))
  for (const { target, fn } of isBackwards ? places.reverse() : places) {
    const { holder, name } = placeOf(target)
    if (holder[name] !== fn) Object.defineProperty(holder, name, { value: fn })
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

/**
 * Garbage is collected at intervals: in turns of a fixed order always the same one could meet it.
 * @template T
 * @param {T[]} pair
 */
function inAnyOrder (pair) {
  return Math.random() < 0.5 ? pair : pair.toReversed()
}

/** Wired as an application's own. */
function startDetector () {
  const context = createRouteContext()
  context.start()
  const stallRoute = createStallRoute({ context })
  const detector = createSyncCallDetector({ routeNow: () => stallRoute.now() })
  detector.armed = true
  detector.start()
  return detector
}

async function main () {
  const originals = functionsInPlace()
  const app = express().use(diagnostics())
  const replacedWhileOff = functionsInPlace().filter((fn, index) => fn !== originals[index]).length
  const inRequest = await openRequest(app)
  const plainLoops = loadLoops()
  const watchedLoops = loadLoops()
  const detector = startDetector()
  const wrappers = functionsInPlace()

  const cases = [
    { name: 'off', loops: plainLoops, prepare: () => putInPlace(originals, true) },
    { name: 'on', loops: watchedLoops, prepare: () => putInPlace(wrappers, false) }
  ]

  /** @param {{ api: string, calls: number, isInRequest: boolean }} slice */
  async function takeTurn ({ api, calls, isInRequest }) {
    /** @type {Record<string, number>} */
    const nsPerCall = {}
    for (const { name, loops, prepare } of inAnyOrder(cases)) {
      prepare()
      collectGarbage()
      const time = () => timeNs(loops[api], calls) / calls
      nsPerCall[name] = isInRequest ? inRequest(time) : time()
      await nextTurn()
    }
    return nsPerCall
  }

  serveAnswers({ apis: Object.keys(plainLoops), watched: wrappers.length, replacedWhileOff }, {
    takeTurn,
    calibrate (/** @type {string} */ api) {
      for (const { loops, prepare } of cases) {
        prepare()
        callsLasting(loops[api], SLICE_MS)
      }
      return callsLasting(watchedLoops[api], SLICE_MS)
    },
    routes: () => detector.read().sites.flatMap(({ api, routes }) => routes.map(({ route, calls }) => [api, route, calls]))
  })
}

main()
