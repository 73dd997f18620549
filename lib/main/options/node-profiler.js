'use strict'

// Whether Node.js itself has V8's profiler in this process. It is told of each profile that anybody begins and ends on the console, as ours
// are, takes what it is told for the answer to a question of its own, and prints it all to standard error: megabytes.

// Beside --cpu-prof there are --cpu-prof-dir and others, which do nothing alone.
const FLAGS = Object.freeze(['--cpu-prof', '--experimental-test-coverage'])

/**
 * @param {readonly string[]} nodeFlags
 * @param {string | undefined} coverageFolder  where Node.js writes what code has run, if it does
 * @returns {string | null} why nobody else can record
 */
function whyNodeProfiles (nodeFlags, coverageFolder) {
  const flag = FLAGS.find(each => nodeFlags.includes(each)) ?? (coverageFolder && 'NODE_V8_COVERAGE')
  return flag ? `Node.js itself profiles this process (${flag}), and would print every profile of ours` : null
}

module.exports = { whyNodeProfiles }
