'use strict'

// The condition on what is wrong with the process, as findings say it. Pure.

const { assertOneOf } = require('../../base/validate')

/** @import { FindingId } from '../../../../types/findings' */
/** @import { ConditionRow } from '../conditions' */

// Those that say that something is wrong. Written here, so that a process with a rule does not load the rules of findings on its main
// thread; a test holds them equal.
/** @type {readonly FindingId[]} */
const FINDING_IDS = Object.freeze([
  'hot-sync-call', 'hot-json', 'hot-logging', 'hot-clock', 'hot-dependency', 'hot-function', 'many-short-turns', 'task-flood', 'gc-pressure',
  'socket-writes', 'socket-reads', 'socket-connects', 'heap-grows', 'buffers-grow', 'pool-full', 'starved', 'suspended', 'start-up', 'busy-threads',
  'slow-elsewhere', 'own-cost', 'unexplained-stalls'
])

/** @type {ConditionRow} */
const finding = Object.freeze({
  needs: 'findings',
  isChoice: true,
  check: (path, value) => assertOneOf(path, value, FINDING_IDS),
  read: ({ findings }, { when }) => findings?.filter(({ id }) => id === when.finding).reduce((sum, { share }) => sum + share, 0) ?? null,
  isMet: ({ findings }, { when }) => findings?.some(({ id }) => id === when.finding) ?? null
})

module.exports = { FINDING_IDS, finding }
