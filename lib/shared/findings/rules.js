'use strict'

// The table of rules: a finding of its kind each. A new one is an object in its family's file in rules/, a row here, its name in FindingId
// (types/findings.d.ts), a row in docs/findings.md, a test and a sick process.

const { HOT_RULES } = require('./rules/hot')
const { manyShortTurns, slowElsewhere, startUp, taskFlood, unexplainedStalls } = require('./rules/loop')
const { buffersGrow, gcPressure, heapGrows } = require('./rules/memory')
const { socketCalls } = require('./rules/socket-calls')
const { busyThreads, ownCost, poolFull, starved, suspended } = require('./rules/system')

/** @import { Rule } from './finding' */

/** In the order in which they are asked: each is given what those before it found. @type {readonly Rule[]} */
const RULES = Object.freeze([
  ...HOT_RULES,
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

module.exports = { RULES }
