'use strict'

// The table of detectors, each for one kind of finding. A new one is an object in its family's file in detectors/, a row here, its name in
// FindingId (types/findings.d.ts), a row in docs/findings.md, a test and an unhealthy process in test/findings/cases.js.

const { lockWait, manyCalls, serialAwaits, timerWait } = require('./detectors/awaits')
const { fragmentation, memoryFull, memoryGrows, memoryReport } = require('./detectors/container')
const { HOT_DETECTORS } = require('./detectors/hot')
const { manyShortTurns, startUp, taskFlood, unexplainedStalls } = require('./detectors/loop')
const { buffersGrow, gcPressure, heapGrows } = require('./detectors/memory')
const { blockedConnection, smallPool } = require('./detectors/pools')
const { hangingRequests, slowElsewhere } = require('./detectors/slow-routes')
const { socketCalls } = require('./detectors/socket-calls')
const { busyThreads, openFiles, ownCost, poolFull, starved, suspended } = require('./detectors/system')
const { noKeepAlive, slowDns } = require('./detectors/waits')

/** @import { Detector } from './finding' */

/** In the order in which they run: each gets the findings of those before it. @type {readonly Detector[]} */
const DETECTORS = Object.freeze([
  ...HOT_DETECTORS,
  socketCalls,
  manyShortTurns,
  taskFlood,
  gcPressure,
  heapGrows,
  buffersGrow,
  memoryGrows,
  fragmentation,
  memoryFull,
  memoryReport,
  openFiles,
  poolFull,
  starved,
  suspended,
  startUp,
  busyThreads,
  hangingRequests,
  smallPool,
  blockedConnection,
  slowDns,
  noKeepAlive,
  timerWait,
  lockWait,
  serialAwaits,
  manyCalls,
  slowElsewhere,
  ownCost,
  unexplainedStalls
])

module.exports = { DETECTORS }
