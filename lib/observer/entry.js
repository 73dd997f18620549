'use strict'

// The entry file of all of loopscope's threads, exported as loopscope/observer: users who bundle loopscope have one more file to build, not one
// per kind of thread.

const { parentPort, workerData } = require('node:worker_threads')

if (workerData.comparison) require('../heap-diff/worker')
else if (workerData.readsSourceMaps) require('../source-maps/worker')
else require('./thread').startObserver(/** @type {import('node:worker_threads').MessagePort} */ (parentPort), workerData)
