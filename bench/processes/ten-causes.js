'use strict'

// The tests' application of ten causes, watched by what the argument names: where the application requires loopscope, it is
// given the watcher in its shape.

const Module = require('node:module')
const os = require('node:os')
const path = require('node:path')
const { serveAnswers } = require('../harness/answers')

const ROOT = path.join(__dirname, '../..')
const THRESHOLD_MS = 100

/** Function names that each report of a stall says, since the parent last asked to forget. @type {string[][]} */
let reports = []

/** @type {Record<string, () => unknown>} starts the watcher and returns a middleware */
const WATCHERS = {
  loopscope () {
    const observed = require(ROOT)({ signals: false, stallThresholdMs: THRESHOLD_MS })
    observed.on('stall', (/** @type {import('../../types/diagnostics').Stall} */ { culprit }) => reports.push(culprit === null ? [] : [culprit.function]))
    return observed
  },
  'blocked-at' () {
    require('blocked-at')((/** @type {number} */ _blockedMs, /** @type {string[]} */ stack) => {
      reports.push(stack.map(frame => /at (?:async )?(?:\w+\.)*(\w+)/.exec(frame)?.[1] ?? ''))
    }, { threshold: THRESHOLD_MS })
    return passBy()
  },
  'toobusy-js' () {
    const toobusy = require('toobusy-js')
    toobusy.maxLag(THRESHOLD_MS)
    toobusy.onLag(() => reports.push([]))
    return passBy()
  }
}

/** What the application asks a running loopscope for before it listens. */
function passBy () {
  const registry = { metrics: async () => 'component="recorder"} 1' }
  return Object.assign((/** @type {any} */ _request, /** @type {any} */ _response, /** @type {() => void} */ next) => next(), { registry })
}

const watcher = WATCHERS[process.argv[2]]()
const entry = require.resolve(ROOT)
require.cache[entry] = Object.assign(new Module(entry), { exports: () => watcher, loaded: true })

process.argv[2] = os.tmpdir() // where the application may write

// The application says its port on standard output, for the tests.
const log = console.log
console.log = (...said) => {
  const { port } = JSON.parse(said[0])
  console.log = log
  serveAnswers({ port }, {
    forget () { reports = [] },
    reports: () => reports
  })
}
require(path.join(ROOT, 'test/fixtures/apps/ten-causes'))
