'use strict'

// Whether this process is the runner of `node --test`, which has each test file run in a process of its own. There is
// nothing to observe in it, and Node gives it no inspector: Node 20 aborts where one connects to it all the same.

const IN_ONE_PROCESS = /^--(?:experimental-)?test-isolation[= ]none$/m

/** @param {readonly string[]} [execArgv] */
function isTestRunner (execArgv = process.execArgv) {
  if (!execArgv.includes('--test')) return false
  const written = execArgv.join('\n').replace(/(test-isolation)\n/, '$1 ')
  return !IN_ONE_PROCESS.test(written)
}

module.exports = { isTestRunner }
