'use strict'

// Whether this process is the runner of `node --test`, which runs each test file in a process of its own. It has nothing to observe, and Node gives
// it no inspector: Node 20 aborts when one connects anyway.

const IN_ONE_PROCESS = /^--(?:experimental-)?test-isolation[= ]none$/m

/** @param {readonly string[]} [execArgv] */
function isTestRunner (execArgv = process.execArgv) {
  if (!execArgv.includes('--test')) return false
  const written = execArgv.join('\n').replace(/(test-isolation)\n/, '$1 ')
  return !IN_ONE_PROCESS.test(written)
}

module.exports = { isTestRunner }
