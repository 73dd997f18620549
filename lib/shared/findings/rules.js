'use strict'

// The table of rules. A new one is a file in rules/, a row here, its name in FindingId (types/findings.d.ts), a row in docs/findings.md, a
// test and a sick process.

const hot = require('./rules/hot/rules')

/** @import { Rule } from './finding' */

/** @type {readonly Rule[]} */
const RULES = Object.freeze([
  ...hot.RULES,
  require('./rules/socket-calls'),
  require('./rules/many-short-turns'),
  require('./rules/task-flood'),
  require('./rules/gc-pressure'),
  require('./rules/heap-grows'),
  require('./rules/buffers-grow'),
  require('./rules/pool-full'),
  require('./rules/starved'),
  require('./rules/suspended'),
  require('./rules/start-up'),
  require('./rules/busy-threads'),
  require('./rules/slow-elsewhere'),
  require('./rules/own-cost'),
  require('./rules/unexplained-stalls')
])

module.exports = { RULES }
