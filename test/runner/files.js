'use strict'

// Which files are tests, and which of them everybody runs.

const fs = require('node:fs')
const path = require('node:path')

const TESTS = path.resolve(__dirname, '..')

// What talks to programs that few machines have is run with what takes long or needs to be root: `npm run test:slow`.
const SLOW_AREAS = ['interop', 'frameworks']
const SLOW_NAME = '.slow.test.js'

/**
 * By name, because `node --test` of Node.js 20 expands no patterns.
 * @param {object} [which]
 * @param {boolean} [which.slow]  those that `npm test` leaves out, else those that it runs
 * @param {(area: string) => boolean} [which.wants]  by the name of the folder below test/
 * @returns {string[]} absolute, sorted
 */
function testFiles ({ slow = false, wants = () => true } = {}) {
  const areas = fs.readdirSync(TESTS, { withFileTypes: true }).filter(entry => entry.isDirectory() && wants(entry.name))
  return areas.flatMap(({ name }) => fs.readdirSync(path.join(TESTS, name))
    .filter(file => file.endsWith('.test.js') && slow === (SLOW_AREAS.includes(name) || file.endsWith(SLOW_NAME)))
    .map(file => path.join(TESTS, name, file)))
}

module.exports = { testFiles }
