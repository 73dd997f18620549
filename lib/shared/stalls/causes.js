'use strict'

// Why the loop was late, by name, in the order of the documentation. Which of them it was is judged in observer/stalls/judge-cause.js.

/** @import { Cause } from '../../../types/diagnostics' */

/** @type {readonly Cause[]} */
const CAUSES = Object.freeze(['code', 'gc', 'starved', 'suspended', 'unknown'])

module.exports = { CAUSES }
