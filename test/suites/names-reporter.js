'use strict'

// A reporter of node:test that writes one line of JSON for each test: its file, its name below those of the tests around
// it, and how it ended.

const path = require('node:path')

/** @typedef {{ type: string, data: { name: string, nesting: number, file?: string, skip?: unknown, todo?: unknown } }} TestEvent */

/** @param {AsyncIterable<TestEvent>} source */
module.exports = async function * namesReporter (source) {
  /** @type {string[]} */
  const names = []
  for await (const { type, data } of source) {
    if (type === 'test:start') names[data.nesting] = data.name
    if (type !== 'test:pass' && type !== 'test:fail') continue
    const around = names.slice(0, data.nesting)
    const outcome = data.skip !== undefined ? 'skip' : type.slice('test:'.length)
    yield JSON.stringify({ file: relative(data.file), name: [...around, relative(data.name)].join(' > '), outcome }) + '\n'
  }
}

/**
 * A file that has no tests, or ends before they do, is itself the test, by its path.
 * @param {string} [file]
 */
function relative (file = '') {
  return path.isAbsolute(file) ? path.relative(process.cwd(), file) : file
}
