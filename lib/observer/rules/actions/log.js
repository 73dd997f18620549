'use strict'

// The action `log`: one line.

const { describeOccasion } = require('../../../shared/rules/occasion')

/** @type {import('../actors').Actor} */
async function log ({ log: level }, occasion, { say }) {
  say(level, { occasion }, describeOccasion(occasion))
}

module.exports = { log }
