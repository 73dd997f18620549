'use strict'

// The table of public packages that ship runnable tests in their npm package, and what those tests need besides the
// package's own dependencies, all at fixed versions.

/**
 * @typedef {object} Suite
 * @property {string} name
 * @property {string} version
 * @property {Record<string, string>} devDependencies
 * @property {readonly string[]} leftOut  files that need more than npm can install without scripts, or the package's repository
 */

/** @type {readonly Suite[]} */
const SUITES = Object.freeze([
  // Files, synchronous writes and locks: the most watched calls of all.
  {
    name: 'sonic-boom',
    version: '5.0.2',
    devDependencies: { proxyquire: '2.1.3', '@sinonjs/fake-timers': '15.5.0' },
    leftOut: []
  },
  // zlib, streams and requests.
  {
    name: '@fastify/compress',
    version: '9.2.0',
    devDependencies: { fastify: '5.12.8', jsonstream: '1.0.3', 'adm-zip': '0.6.1' },
    leftOut: []
  },
  // Child processes whose output is read, worker threads, exit handlers, time.
  {
    name: 'pino',
    version: '10.4.0',
    devDependencies: {
      '@matteo.collina/tspl': '0.2.0',
      execa: '5.1.1',
      'flush-write-stream': '2.0.0',
      'import-fresh': '3.3.1',
      'pino-pretty': '13.2.0',
      proxyquire: '2.1.3',
      pump: '3.0.4',
      rimraf: '6.1.4',
      split2: '4.2.0',
      'strip-ansi': '6.0.1',
      tape: '5.10.2',
      through2: '5.0.12'
    },
    leftOut: []
  }
])

module.exports = { SUITES }
