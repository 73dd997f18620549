'use strict'

// Recognizes processes in which loopscope cannot work as elsewhere: Bun and Deno, which run Node.js programs without being Node.js and have other clocks and
// inspectors, and the runner of `node --test`.

const { bun, deno } = /** @type {Record<string, string | undefined>} */ (process.versions)

/** Name and version; null in Node.js itself. */
const OTHER_RUNTIME = bun !== undefined ? `Bun ${bun}` : deno !== undefined ? `Deno ${deno}` : null

const IN_ONE_PROCESS = /^--(?:experimental-)?test-isolation[= ]none$/m

/**
 * Whether this process is the runner of `node --test`, which runs each test file in a process of its own. It has nothing to observe, and Node gives it
 * no inspector: Node 20 aborts when one connects anyway.
 * @param {readonly string[]} [execArgv]
 */
function isTestRunner (execArgv = process.execArgv) {
  if (!execArgv.includes('--test')) return false
  const written = execArgv.join('\n').replace(/(test-isolation)\n/, '$1 ')
  return !IN_ONE_PROCESS.test(written)
}

module.exports = { OTHER_RUNTIME, isTestRunner }
