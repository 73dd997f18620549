'use strict'

// The table of other people's tests: where each suite comes from, what it needs, and how it is run.
//
// npm packages seldom ship their tests. What Debian packages it ships as source, tests included, in the version of its
// release: those of Express and body-parser, and those of Node.js itself. Koa's are to be had from neither; what it promises
// is written down in koa/.

const path = require('node:path')

/**
 * @typedef {object} Suite
 * @property {string} name
 * @property {'npm' | 'debian' | 'here'} source
 * @property {string} [version]   of the npm package
 * @property {string} [folder]    where the source is 'here'
 * @property {'node-test' | 'mocha' | 'programs'} runner
 * @property {Record<string, string>} devDependencies  besides the package's own dependencies, at fixed versions
 * @property {readonly string[]} leftOut  files that need more than npm can install without scripts, or the package's repository
 * @property {RegExp} files       below `test`
 * @property {string[]} [mocha]   its arguments, as the package gives them
 */

const NODE_TEST = /\.test\.(js|mjs)$/

/** @type {readonly Suite[]} */
const SUITES = Object.freeze([
  // Files, synchronous writes and locks: the most watched calls of all.
  {
    name: 'sonic-boom',
    source: 'npm',
    version: '5.0.2',
    runner: 'node-test',
    devDependencies: { proxyquire: '2.1.3', '@sinonjs/fake-timers': '15.5.0' },
    leftOut: [],
    files: NODE_TEST
  },
  // zlib, streams and requests.
  {
    name: '@fastify/compress',
    source: 'npm',
    version: '9.2.0',
    runner: 'node-test',
    devDependencies: { fastify: '5.12.8', jsonstream: '1.0.3', 'adm-zip': '0.6.1' },
    leftOut: [],
    files: NODE_TEST
  },
  // Child processes whose output is read, worker threads, exit handlers, time.
  {
    name: 'pino',
    source: 'npm',
    version: '10.4.0',
    runner: 'node-test',
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
    leftOut: [],
    files: NODE_TEST
  },
  // The framework that most applications are made with, and its middleware.
  {
    name: 'express',
    source: 'debian',
    runner: 'mocha',
    devDependencies: {
      after: '0.8.2',
      'connect-redis': '3.4.2',
      'cookie-parser': '1.4.6',
      'cookie-session': '2.0.0',
      ejs: '3.1.8',
      'express-session': '1.17.2',
      hbs: '4.2.0',
      marked: '0.7.0',
      'method-override': '3.0.0',
      mocha: '10.0.0',
      morgan: '1.10.0',
      multiparty: '4.2.3',
      'pbkdf2-password': '1.2.1',
      supertest: '6.3.0',
      vhost: '3.0.2'
    },
    leftOut: [],
    files: /(?<!support.*)\.js$/,
    mocha: ['--require', 'test/support/env', '--check-leaks']
  },
  {
    name: 'body-parser',
    source: 'debian',
    runner: 'mocha',
    devDependencies: { methods: '1.1.2', mocha: '10.0.0', 'safe-buffer': '5.2.1', supertest: '6.3.0' },
    leftOut: [],
    files: /(?<!support.*)\.js$/,
    mocha: ['--require', 'test/support/env', '--check-leaks']
  },
  {
    name: 'koa',
    source: 'here',
    folder: path.join(__dirname, 'koa'),
    runner: 'node-test',
    devDependencies: {},
    leftOut: [],
    files: NODE_TEST
  },
  // Node.js on itself: the modules whose functions are watched, processes and debuggers. They are of an older version; those
  // that fail on this one without us are to fail with us too.
  {
    name: 'nodejs',
    source: 'debian',
    runner: 'programs',
    devDependencies: {},
    leftOut: [],
    files: /^parallel\/test-(fs|crypto|zlib|child-process|inspector|timers)\b.*\.(js|mjs)$/
  }
])

module.exports = { SUITES }
