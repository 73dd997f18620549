'use strict'

// What every thread of ours starts with, exported as loopscope/observer: whoever bundles us has one file more to make, not one
// for each kind of thread.

const { parentPort, workerData } = require('node:worker_threads')

if (workerData.comparison) require('../heap-diff/worker')
else if (workerData.readsSourceMaps) require('../source-maps/worker')
else require('./thread').startObserver(/** @type {import('node:worker_threads').MessagePort} */ (parentPort), workerData)
