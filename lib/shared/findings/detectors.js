'use strict'

// The table of rules: a finding of its kind each. A new one is an object in its family's file in rules/, a row here, its name in FindingId
// (types/findings.d.ts), a row in docs/findings.md, a test and a sick process.

const { HOT_DETECTORS } = require('./detectors/hot')
const { manyShortTurns, slowElsewhere, startUp, taskFlood, unexplainedStalls } = require('./detectors/loop')
const { buffersGrow, gcPressure, heapGrows } = require('./detectors/memory')
const { socketCalls } = require('./detectors/socket-calls')
const { busyThreads, ownCost, poolFull, starved, suspended } = require('./detectors/system')

/** @import { Detector } from './finding' */

/** In the order in which they are asked: each is given what those before it found. @type {readonly Detector[]} */
const DETECTORS = Object.freeze([
  ...HOT_DETECTORS,
  socketCalls,
  manyShortTurns,
  taskFlood,
  gcPressure,
  heapGrows,
  buffersGrow,
  poolFull,
  starved,
  suspended,
  startUp,
  busyThreads,
  slowElsewhere,
  ownCost,
  unexplainedStalls
])

module.exports = { DETECTORS }
