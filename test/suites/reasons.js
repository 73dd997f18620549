'use strict'

// Tests that cannot end the same with us, and why. Each reason has a control: a preload that does one thing that we cannot do
// without, and nothing else of ours. A test counts as explained only while the control makes the same difference.

const path = require('node:path')

/**
 * @typedef {object} Reason
 * @property {string} suite
 * @property {string} reason
 * @property {string} control  path of the preload
 * @property {readonly string[]} files
 */

const CONTROLS = path.join(__dirname, 'controls')

/** @type {readonly Reason[]} */
const REASONS = Object.freeze([
  {
    suite: 'nodejs',
    reason: 'they count the threads that a debugger sees, or take a loop for ended in the turn in which a thread is starting',
    control: path.join(CONTROLS, 'second-thread.js'),
    files: [
      'test/parallel/test-inspector-async-hook-after-done.js',
      'test/parallel/test-inspector-connect-main-thread.js',
      'test/parallel/test-inspector-workers-flat-list.js',
      'test/parallel/test-timers-immediate-promisified.js',
      'test/parallel/test-timers-immediate-unref-simple.js'
    ]
  },
  {
    suite: 'nodejs',
    reason: 'it takes it for a leak when the process grows by 10 MB; a thread is starting meanwhile, which nears that by itself',
    control: path.join(CONTROLS, 'growing-thread.js'),
    files: ['test/parallel/test-crypto-dh-leak.js']
  },
  {
    suite: 'nodejs',
    reason: 'it expects a secure heap that nobody has used; names that no other copy of the package may share are random',
    control: path.join(CONTROLS, 'random-bytes.js'),
    files: ['test/parallel/test-crypto-secure-heap.js']
  },
  {
    suite: 'nodejs',
    reason: 'it takes the next script that a debugger is told of for its own; our session evaluates one, and so does a cold start on Node 20',
    control: path.join(CONTROLS, 'evaluation.js'),
    files: ['test/parallel/test-inspector-scriptparsed-context.js']
  },
  {
    suite: 'nodejs',
    reason: 'they change a limit of buffers before zlib is loaded, and prom-client has loaded it',
    control: path.join(CONTROLS, 'metrics.js'),
    files: ['test/parallel/test-zlib-brotli-kmaxlength-rangeerror.js', 'test/parallel/test-zlib-kmaxlength-rangeerror.js']
  }
])

module.exports = { REASONS }
